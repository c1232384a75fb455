// The integer half of the one reduction order: which leaves a partial result stands for, and which two
// partials may be added. The arithmetic half is devices/order.hpp; nobody else knows the order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster {

/// Leaves [first, last) of a reduction, when they form a node of its tree.
struct subtree {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  [[nodiscard]] std::uint64_t size() const { return last - first; }
  friend constexpr auto operator<=>(const subtree&, const subtree&) = default;
};

/// Where the tree over n >= 2 leaves splits: the largest power of two below n goes left.
std::uint64_t split_of(std::uint64_t n);

/// Whether s is a node of the tree over leaf_count leaves.
bool is_subtree(std::uint64_t leaf_count, subtree s);

/// The node whose two children are exactly `left` and `right`, if there is one.
std::optional<subtree> parent_of(std::uint64_t leaf_count, subtree left, subtree right);

/// The fewest subtrees that together are exactly leaves [first, last), in order.
std::vector<subtree> cover_of_range(std::uint64_t leaf_count, std::uint64_t first,
                                    std::uint64_t last);

/// How to fold a list of partials as far as the tree allows. Each step adds partial `right` to partial
/// `left` (in that operand order) and the sum takes the place of `left`; `right` is then used up.
struct fold_plan {
  struct step {
    std::size_t left;
    std::size_t right;
    friend bool operator==(const step&, const step&) = default;
  };
  std::vector<step> steps;
  std::vector<std::size_t>
      remaining;               // indices into the input that still hold a partial, by leaf order
  std::vector<subtree> cover;  // what each of these stands for
};

/// The plan for partials that stand for `parts`, in any order. Nothing when a part is not a subtree of
/// leaf_count or two of them share a leaf; `why` then names the parts.
std::optional<fold_plan> plan_fold(std::uint64_t leaf_count, std::span<const subtree> parts,
                                   std::string* why = nullptr);

/// One element that stands for all leaves.
bool is_whole(std::uint64_t leaf_count, std::span<const subtree> cover);

/// For people: the ranges of leaves that a cover, in leaf order, lacks: "[1, 2), [5, 8)", at most four.
std::string uncovered(std::uint64_t leaf_count, std::span<const subtree> cover);

std::string to_string(subtree);  // "[0, 8)"

}  // namespace muster
