// How each dimension of an array is spread over a mesh: not at all, over one mesh dimension, or over several. A
// value that knows names only; any thread.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <muster/messages/values/status.hpp>

namespace muster {

/// Over these mesh dimensions, the first one slowest; over none: not sharded.
using mesh_axes = std::vector<std::string>;

/// "As it already is": what relayout replaces by the sharding that the array has there.
struct match_sharding {
  friend bool operator==(match_sharding, match_sharding) = default;
};

using dimension_sharding = std::variant<mesh_axes, match_sharding>;

/// One entry per array dimension. As in JAX a spec may be shorter than the array's rank: missing entries are not
/// sharded. As in DTensor a layout's spec has exactly the array's rank. Both are this type.
class partition_spec {
 public:
  partition_spec() = default;  // rank 0, or everything unsharded
  /// invalid_argument when a name breaks check_dimension_name's rule or comes twice.
  static result<partition_spec> of(std::vector<dimension_sharding> entries);
  /// Shorthand: {"x", "", "y+z"} is x, unsharded, y then z; "match" is match. The same errors.
  static result<partition_spec> of(std::initializer_list<std::string_view> entries);
  static partition_spec unsharded(std::size_t rank);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const dimension_sharding& operator[](std::size_t i) const { return entries_.at(i); }
  [[nodiscard]] std::span<const dimension_sharding> entries() const { return entries_; }
  /// All mesh dimensions that it uses, in order.
  [[nodiscard]] mesh_axes axes() const;
  [[nodiscard]] bool has_match() const;
  /// With unsharded entries at the end up to `rank`; invalid_argument when it is longer than that.
  [[nodiscard]] result<partition_spec> padded(std::size_t rank) const;

  friend bool operator==(const partition_spec&, const partition_spec&) = default;

 private:
  explicit partition_spec(std::vector<dimension_sharding> entries) : entries_(std::move(entries)) {}
  std::vector<dimension_sharding> entries_;
};

/// Equal but for unsharded entries at the end.
bool equivalent(const partition_spec&, const partition_spec&);

/// "[x,unsharded,y+z,match]"; "[]" for rank 0.
std::string to_string(const partition_spec&);
/// Takes exactly what to_string writes; else invalid_argument with offset, finding and rule. (A comma that a peer's
/// parser lets you forget drops a dimension there without a word.)
result<partition_spec> parse_partition_spec(std::string_view);

}  // namespace muster
