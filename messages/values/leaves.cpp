#include <algorithm>
#include <bit>
#include <numeric>

#include <muster/messages/values/ensure.hpp>
#include <muster/messages/values/leaves.hpp>

namespace muster {

namespace {

// Both work with sums that are at most leaf_count, so nothing wraps near 2^64.
std::uint64_t middle_of(subtree node) { return node.first + split_of(node.size()); }

void append_cover(std::vector<subtree>& cover, subtree node, subtree wanted) {
  if (wanted.last <= node.first || node.last <= wanted.first) return;
  if (wanted.first <= node.first && node.last <= wanted.last) {
    cover.push_back(node);
    return;
  }
  const std::uint64_t middle = middle_of(node);
  append_cover(cover, {node.first, middle}, wanted);
  append_cover(cover, {middle, node.last}, wanted);
}

/// What is wrong with parts that were sorted by leaf, or nothing.
std::optional<std::string> fault_of(std::uint64_t leaf_count, std::span<const subtree> parts,
                                    const std::vector<std::size_t>& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const subtree part = parts[order[i]];
    if (!is_subtree(leaf_count, part)) {
      return "part " + to_string(part) + " is not a subtree of " + std::to_string(leaf_count) +
             " leaves";
    }
    if (i > 0 && part.first < parts[order[i - 1]].last) {
      return "leaf " + std::to_string(part.first) + " is given twice, in " +
             to_string(parts[order[i - 1]]) + " and in " + to_string(part);
    }
  }
  return {};
}

}  // namespace

std::uint64_t split_of(std::uint64_t n) {
  ensure(n >= 2, "only two leaves or more can be split");
  return std::bit_floor(n - 1);
}

bool is_subtree(std::uint64_t leaf_count, subtree s) {
  if (s.first >= s.last || s.last > leaf_count) return false;
  subtree node{0, leaf_count};
  while (node != s) {
    if (node.size() == 1) return false;
    const std::uint64_t middle = middle_of(node);
    if (s.last <= middle)
      node.last = middle;
    else if (s.first >= middle)
      node.first = middle;
    else
      return false;
  }
  return true;
}

std::optional<subtree> parent_of(std::uint64_t leaf_count, subtree left, subtree right) {
  if (left.first >= left.last || left.last != right.first || right.first >= right.last) return {};
  const subtree parent{left.first, right.last};
  if (middle_of(parent) != left.last || !is_subtree(leaf_count, parent)) return {};
  return parent;
}

std::vector<subtree> cover_of_range(std::uint64_t leaf_count, std::uint64_t first,
                                    std::uint64_t last) {
  ensure(first <= last && last <= leaf_count, "a range of leaves lies inside the reduction");
  std::vector<subtree> cover;
  if (first < last) append_cover(cover, {0, leaf_count}, {first, last});
  return cover;
}

std::optional<fold_plan> plan_fold(std::uint64_t leaf_count, std::span<const subtree> parts,
                                   std::string* why) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return parts[a] < parts[b]; });
  if (auto fault = fault_of(leaf_count, parts, order)) {
    if (why != nullptr) *why = *std::move(fault);
    return {};
  }
  // `remaining` and `cover` are the stack: a sibling of the top can only be the next part, or a sum that
  // ends up directly above it, because parts come in the order of their leaves.
  fold_plan plan;
  for (std::size_t index : order) {
    plan.remaining.push_back(index);
    plan.cover.push_back(parts[index]);
    while (plan.cover.size() >= 2) {
      const auto parent =
          parent_of(leaf_count, plan.cover[plan.cover.size() - 2], plan.cover.back());
      if (!parent) break;
      plan.steps.push_back({plan.remaining[plan.remaining.size() - 2], plan.remaining.back()});
      plan.remaining.pop_back();
      plan.cover.pop_back();
      plan.cover.back() = *parent;
    }
  }
  return plan;
}

bool is_whole(std::uint64_t leaf_count, std::span<const subtree> cover) {
  return cover.size() == 1 && leaf_count > 0 && cover.front() == subtree{0, leaf_count};
}

std::string uncovered(std::uint64_t leaf_count, std::span<const subtree> cover) {
  constexpr std::size_t shown_max = 4;
  std::vector<subtree> gaps;
  std::uint64_t next = 0;
  for (const auto& part : cover) {
    if (part.first > next) gaps.push_back({next, part.first});
    next = part.last;
  }
  if (next < leaf_count) gaps.push_back({next, leaf_count});
  std::string out;
  for (std::size_t i = 0; i < std::min(gaps.size(), shown_max); ++i)
    out += (i == 0 ? "" : ", ") + to_string(gaps[i]);
  return gaps.size() > shown_max ? out + ", ..." : out;
}

std::string to_string(subtree s) {
  return "[" + std::to_string(s.first) + ", " + std::to_string(s.last) + ")";
}

}  // namespace muster
