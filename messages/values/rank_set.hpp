// A set of ranks as sorted ranges. A value; any thread may use its own copy.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/messages/values/ids.hpp>

namespace muster {

/// Sorted, disjoint, non-adjacent closed ranges. Insertion at the end is O(1), elsewhere O(ranges).
class rank_set {
 public:
  struct range {
    std::uint32_t first;
    std::uint32_t last;  // inclusive
    friend bool operator==(const range&, const range&) = default;
  };

  rank_set() = default;
  rank_set(std::initializer_list<rank> ranks);
  /// The ranks `first, first+1, ..., last`; empty when last < first.
  static rank_set of_range(rank first, rank last);

  void insert(rank);
  void insert_range(rank first, rank last);
  void erase(rank);
  void merge(const rank_set&);
  [[nodiscard]] bool contains(rank) const;
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] const std::vector<range>& ranges() const { return ranges_; }
  /// Every member in ascending order.
  [[nodiscard]] std::vector<rank> members() const;
  /// The members of this set that `other` lacks.
  [[nodiscard]] rank_set minus(const rank_set& other) const;
  [[nodiscard]] rank_set intersection(const rank_set& other) const;

  /// Bytes for the wire: a list of ranges or a bitmap, whichever is shorter (every second of
  /// 10,000 ranks takes 1.3 KB as a bitmap, 10,000 in one block a few bytes as a range).
  [[nodiscard]] std::string encode() const;
  /// Nothing when the bytes are not what `encode` writes, or name a rank of `world_size_max` or above.
  [[nodiscard]] static std::optional<rank_set> decode(std::string_view bytes);

  friend bool operator==(const rank_set&, const rank_set&) = default;

 private:
  std::vector<range> ranges_;
};

/// "0-3,7"; at most `ranges_max` ranges, then ",... (N ranks)". "none" for the empty set.
std::string to_string(const rank_set&, std::size_t ranges_max = 32);

}  // namespace muster
