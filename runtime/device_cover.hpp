// What one local device gives to a reduction: arrays, each the leaf of a global order. A value.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <muster/messages/values/array.hpp>

namespace muster {

/// The leaves of a reduction are numbered 0 .. leaf_count - 1 over all hosts: micro-batches by their place in
/// the batch, or devices. Which device has which leaf does not matter to the result, nor in which order
/// leaves are added here; each leaf is given exactly once in the world.
class device_cover {
 public:
  /// `device` is the local number, 0 for the first device of this host.
  device_cover(std::uint32_t device, std::uint64_t leaf_count)
      : device_(device), leaf_count_(leaf_count) {}
  /// For a host that may have no leaf at all: dtype and shape are part of what all hosts must say alike.
  device_cover(std::uint32_t device, std::uint64_t leaf_count, dtype type, shape_vector shape)
      : device_(device), leaf_count_(leaf_count), like_(array{type, std::move(shape), {}}) {}

  /// The array is shared, not copied; nobody may change its bytes.
  void add(std::uint64_t leaf, array value) { leaves_.emplace_back(leaf, std::move(value)); }

  [[nodiscard]] std::uint32_t device() const { return device_; }
  [[nodiscard]] std::uint64_t leaf_count() const { return leaf_count_; }
  [[nodiscard]] const std::vector<std::pair<std::uint64_t, array>>& leaves() const {
    return leaves_;
  }
  /// An array whose dtype and shape are this cover's; nothing when it has no leaf and was told none.
  [[nodiscard]] const array* like() const {
    if (like_) return &*like_;
    return leaves_.empty() ? nullptr : &leaves_.front().second;
  }

 private:
  std::uint32_t device_;
  std::uint64_t leaf_count_;
  std::optional<array> like_;
  std::vector<std::pair<std::uint64_t, array>> leaves_;
};

}  // namespace muster
