// A layout: how an array lies on a mesh. A value; any thread. Functions that can't hold for a layout with `match`
// (relayout has to replace it first) say so as invalid_argument.
//
// Shard i of a dimension of n over k is [min(i*c, n), min((i+1)*c, n)) with c = ceil(n / k): the last ones may be
// short or empty, none is padded. Over several mesh dimensions i counts row-major over these, the first slowest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/messages/values/array.hpp>
#include <muster/messages/values/layouts/mesh.hpp>
#include <muster/messages/values/layouts/partition_spec.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

/// Elements [first, last) of one dimension.
struct index_range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  [[nodiscard]] std::int64_t size() const { return last - first; }
  friend bool operator==(const index_range&, const index_range&) = default;
};
/// A box of an array: one range per dimension. Rank 0 has one element.
using array_slice = std::vector<index_range>;
std::string to_string(const array_slice&);  // "[0:4, 2:6]"
std::int64_t element_count(const array_slice&);

/// The rule above. k >= 1, 0 <= i < k, n >= 0 (asserted).
index_range shard_range(std::int64_t n, std::int64_t k, std::int64_t i);

/// Which shard of each dimension, from 0; 0 for an unsharded one.
using shard_coordinates = std::vector<std::int64_t>;

class layout {
 public:
  /// On the empty mesh, rank 0.
  layout() = default;
  /// invalid_argument when the spec names a dimension that the mesh doesn't have (all of the mesh's are listed).
  static result<layout> of(partition_spec spec, muster::mesh over);
  /// Every dimension unsharded; at most limits::array_rank_max (asserted).
  static layout replicated(muster::mesh over, std::size_t rank);
  /// First, or last, dimension over `dimension`, the others unsharded. Rank 0 has no such dimension: refused.
  static result<layout> batch_sharded(muster::mesh over, std::string_view dimension,
                                      std::size_t rank);
  static result<layout> inner_sharded(muster::mesh over, std::string_view dimension,
                                      std::size_t rank);

  [[nodiscard]] const muster::mesh& mesh() const { return mesh_; }
  [[nodiscard]] const partition_spec& spec() const { return spec_; }
  [[nodiscard]] std::size_t rank() const { return spec_.size(); }

  /// How many shards array dimension `i` < rank() (asserted) is cut into; nothing for match.
  [[nodiscard]] std::optional<std::int64_t> shard_count(std::size_t i) const;
  /// All of them; invalid_argument with match.
  [[nodiscard]] result<std::vector<std::int64_t>> shard_counts() const;
  /// Every dimension in one shard. A mesh dimension of size 1 shards nothing.
  [[nodiscard]] bool is_fully_replicated() const;

  // Layouts made from this one. Dimensions are array dimensions, in [0, rank); a wrong or repeated one is refused.
  [[nodiscard]] result<layout> without(std::span<const std::size_t> dimensions) const;
  [[nodiscard]] result<layout> transposed(std::span<const std::size_t> permutation) const;
  /// The last two swapped. rank >= 2.
  [[nodiscard]] result<layout> transposed_2d() const;
  /// Dimensions [first, last).
  [[nodiscard]] result<layout> truncated(std::size_t first, std::size_t last) const;
  /// Unsharded dimensions in front up to `rank`, not less than it has.
  [[nodiscard]] result<layout> left_padded(std::size_t rank) const;
  /// This one's dimensions and then the other's: same mesh, no mesh dimension in both.
  [[nodiscard]] result<layout> concatenated(const layout& other) const;
  /// After a reduction over these dimensions: removed, or kept unsharded with `keep`.
  [[nodiscard]] result<layout> with_reduced(std::span<const std::size_t> dimensions,
                                            bool keep) const;
  /// Mesh dimensions that the spec does not use shrunk to their first coordinate.
  [[nodiscard]] layout on_reduced_mesh() const;
  /// The same over the mesh's host mesh.
  [[nodiscard]] layout on_host_mesh() const;
  /// `match` entries replaced by this layout's (same mesh, same rank; a mesh dimension may not come twice).
  [[nodiscard]] result<layout> resolved(const partition_spec& wanted) const;

  /// Which shard the device at that mesh position (< mesh().size(), asserted) holds. invalid_argument with match.
  [[nodiscard]] result<shard_coordinates> shard_of(std::size_t position) const;
  /// The shard's number, row-major over shard counts; out of range is refused.
  [[nodiscard]] result<std::int64_t> shard_number(std::span<const std::int64_t> shard) const;
  /// The distinct shards that a host's devices hold, sorted; none where the mesh is remote to it.
  [[nodiscard]] result<std::vector<shard_coordinates>> shards_of(muster::rank host) const;

  // Shapes. `global` has rank() dimensions, none negative.
  [[nodiscard]] result<array_slice> slice_of(std::size_t position,
                                             const shape_vector& global) const;
  [[nodiscard]] result<shape_vector> local_shape(std::size_t position,
                                                 const shape_vector& global) const;
  /// The shape of every shard where all are alike; invalid_argument names the dimension that k does not divide.
  [[nodiscard]] result<shape_vector> even_local_shape(const shape_vector& global) const;
  /// Of shards that are all alike.
  [[nodiscard]] result<shape_vector> global_shape(const shape_vector& local) const;

  friend bool operator==(const layout&, const layout&) = default;

 private:
  layout(partition_spec spec, muster::mesh over) : spec_(std::move(spec)), mesh_(std::move(over)) {}
  partition_spec spec_;
  muster::mesh mesh_;
};

/// invalid_argument unless the shape has the layout's rank, no negative size, and a product that fits.
status check_global_shape(const layout&, const shape_vector& global);

/// Same mesh and rank, and where the entries differ one shard on both sides: the same bytes on every device.
bool equivalent(const layout&, const layout&);

/// Which shards of an array the devices of a layout hold.
struct shard_vector {
  std::vector<shard_coordinates> shards;   // sorted, distinct
  std::vector<std::int64_t> shard_counts;  // per dimension
  friend bool operator==(const shard_vector&, const shard_vector&) = default;
};
/// invalid_argument with match.
result<shard_vector> shards(const layout&);
/// Whether two hold the same part of an array whose dimensions both counts divide, however it is cut: shard 0 of 1 is
/// shards 0, 1 and 2 of 3. False where either is no shard vector: a count below 1 or above limits::mesh_devices_max, or
/// a shard outside the counts.
bool same_cut(const shard_vector&, const shard_vector&);

/// "[x,unsharded] on name|x=2|cpu|0:0-1".
std::string to_string(const layout&);
result<layout> parse_layout(std::string_view);

}  // namespace muster
