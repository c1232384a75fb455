// Where a host stands in the tree of its group. A value, computed once; pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/rank_set.hpp>

namespace muster {

/// The head of a range of the members, in rank order, is its lowest; the rest is cut into min(fan_out, n) nearly equal
/// contiguous ranges, longer ones first, each with a head of its own. Contiguous subtrees make every "all of that
/// subtree" one range (of ranks, where the members are the world), and a concatenation in child order one in rank order.
struct tree_shape {
  struct branch {
    rank head;
    rank_set ranks;  // of the branch, its head first
    [[nodiscard]] bool contains(rank r) const { return ranks.contains(r); }
    friend bool operator==(const branch&, const branch&) = default;
  };

  rank self{};
  rank_set ranks;           // this node's subtree, itself first
  rank_set everyone;        // the whole tree
  std::uint32_t depth = 0;  // 0 at the root
  std::optional<rank> parent;
  std::vector<branch> children;

  /// Asserts that self is a member and fan_out >= 1.
  static tree_shape of(rank self, const rank_set& members, std::uint32_t fan_out);

  [[nodiscard]] bool is_root() const { return !parent; }
  /// The index of the child with that rank.
  [[nodiscard]] std::optional<std::size_t> child_index(rank r) const;
};

}  // namespace muster
