// Which slice of an array every device of a layout holds, and who answers for each. A value; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <muster/messages/values/layouts/layout.hpp>

namespace muster {

/// Memory: one range per shard of a dimension and one number per device.
class index_map {
 public:
  /// invalid_argument for match, for a shape of another rank or with a negative size, and for the empty mesh.
  static result<index_map> of(const layout&, const shape_vector& global);

  [[nodiscard]] std::size_t device_count() const { return shards_.size(); }
  [[nodiscard]] std::int64_t shard_count() const {
    return static_cast<std::int64_t>(owners_.size());
  }
  /// The number, row-major over shard counts, of the shard that the device at that mesh position holds.
  [[nodiscard]] std::int64_t shard(std::size_t position) const { return shards_.at(position); }
  [[nodiscard]] array_slice slice(std::size_t position) const {
    return slice_of_shard(shard(position));
  }
  [[nodiscard]] array_slice slice_of_shard(std::int64_t number) const;
  /// Per array dimension the range of each of its shards.
  [[nodiscard]] const std::vector<std::vector<index_range>>& ranges() const { return ranges_; }
  /// For each shard the mesh position that answers for it: writes it to a checkpoint, say. Shards choose in the order
  /// of their numbers, each the replica whose host answers for the fewest elements so far, and of these the first in
  /// the mesh: the same on every host. An empty shard has an owner too.
  [[nodiscard]] const std::vector<std::size_t>& owners() const { return owners_; }

 private:
  index_map() = default;
  void choose_owners(const mesh& over);
  std::vector<std::vector<index_range>> ranges_;
  std::vector<std::int64_t> shards_;  // per position
  std::vector<std::size_t> owners_;   // per shard
};

}  // namespace muster
