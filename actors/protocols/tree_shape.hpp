// Where a host stands in the tree of its group. A value, computed once; pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/rank_set.hpp>

namespace muster {

/// The head of a range of ranks is its lowest; the rest is cut into min(fan_out, n) nearly equal contiguous
/// ranges, longer ones first, each with a head of its own. Contiguous subtrees make every "all of that
/// subtree" one range of ranks, and a concatenation in child order one in rank order.
struct tree_shape {
  struct branch {
    rank head;
    rank last;  // the branch is head .. last
    [[nodiscard]] bool contains(rank r) const { return head <= r && r <= last; }
    [[nodiscard]] rank_set ranks() const { return rank_set::of_range(head, last); }
    friend bool operator==(const branch&, const branch&) = default;
  };

  rank self{};
  rank last{};              // this node's subtree is self .. last
  std::uint32_t depth = 0;  // 0 at the root
  std::optional<rank> parent;
  std::vector<branch> children;

  /// Asserts self < world_size and fan_out >= 1.
  static tree_shape of(rank self, std::uint32_t world_size, std::uint32_t fan_out);

  [[nodiscard]] bool is_root() const { return !parent; }
  /// The index of the child with that rank.
  [[nodiscard]] std::optional<std::size_t> child_index(rank r) const;
  [[nodiscard]] rank_set ranks() const { return rank_set::of_range(self, last); }
};

}  // namespace muster
