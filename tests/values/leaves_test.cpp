#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <muster/messages/values/leaves.hpp>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();

// The rule once more, in the plainest way: what a reduction over leaves [first, last) is.
std::uint64_t power_of_two_below(std::uint64_t n) {
  std::uint64_t p = 1;
  while (p * 2 < n) p *= 2;
  return p;
}
std::string expression(std::uint64_t first, std::uint64_t last) {
  if (last - first == 1) return std::to_string(first);
  const auto middle = first + power_of_two_below(last - first);
  return "(" + expression(first, middle) + "+" + expression(middle, last) + ")";
}
void collect_nodes(std::set<subtree>& nodes, subtree s) {
  nodes.insert(s);
  if (s.size() < 2) return;
  const auto middle = s.first + power_of_two_below(s.size());
  collect_nodes(nodes, {s.first, middle});
  collect_nodes(nodes, {middle, s.last});
}
std::set<subtree> nodes_of(std::uint64_t n) {
  std::set<subtree> nodes;
  collect_nodes(nodes, {0, n});
  return nodes;
}

bool inside(subtree s, subtree outer) { return outer.first <= s.first && s.last <= outer.last; }

/// A cover whose partials are the expressions that they stand for.
struct partials {
  std::vector<subtree> parts;
  std::vector<std::string> said;
};

partials folded(std::uint64_t n, partials in) {
  const auto plan = plan_fold(n, in.parts);
  if (!plan) throw std::logic_error("no plan");
  for (auto step : plan->steps) {
    in.said[step.left] = "(" + in.said[step.left] + "+" + in.said[step.right] + ")";
    in.said[step.right] = "used up";
  }
  partials out{plan->cover, {}};
  for (auto i : plan->remaining) out.said.push_back(in.said[i]);
  return out;
}

partials joined(partials a, const partials& b) {
  a.parts.insert(a.parts.end(), b.parts.begin(), b.parts.end());
  a.said.insert(a.said.end(), b.said.begin(), b.said.end());
  return a;
}

TEST(Leaves, SplitAtTheLargestPowerOfTwoBelow) {
  EXPECT_EQ(split_of(2), 1u);
  EXPECT_EQ(split_of(3), 2u);
  EXPECT_EQ(split_of(5), 4u);
  EXPECT_EQ(split_of(8), 4u);
  EXPECT_EQ(split_of(9), 8u);
  EXPECT_EQ(split_of(huge), std::uint64_t{1} << 63);
}

TEST(LeavesDeathTest, OfWhichThereIsOneCannotBeSplit) {
  EXPECT_DEATH((void)split_of(1), "two leaves or more");
}

TEST(Subtree, IsANodeOfTheTreeAndNothingElse) {
  for (std::uint64_t n = 0; n <= 40; ++n) {
    const auto nodes = n == 0 ? std::set<subtree>{} : nodes_of(n);
    for (std::uint64_t first = 0; first <= n + 1; ++first) {
      for (std::uint64_t last = 0; last <= n + 1; ++last) {
        EXPECT_EQ(is_subtree(n, {first, last}), nodes.contains({first, last}))
            << n << ": " << to_string({first, last});
      }
    }
  }
}

TEST(Subtree, IsFoundAmongAllTheLeavesThatCanBeCounted) {
  EXPECT_TRUE(is_subtree(huge, {0, huge}));
  EXPECT_TRUE(is_subtree(huge, {huge - 1, huge}));
  EXPECT_TRUE(is_subtree(huge, {std::uint64_t{1} << 63, huge}));
  EXPECT_FALSE(is_subtree(huge, {huge - 2, huge}));
  EXPECT_FALSE(is_subtree(huge, {1, huge}));
}

TEST(Subtree, HasTheParentWhoseChildrenItAndItsSiblingAre) {
  for (std::uint64_t n = 1; n <= 24; ++n) {
    const auto nodes = nodes_of(n);
    for (auto left : nodes) {
      for (auto right : nodes) {
        const subtree both{left.first, right.last};
        const bool siblings = left.last == right.first && nodes.contains(both);
        EXPECT_EQ(parent_of(n, left, right), siblings ? std::optional(both) : std::nullopt);
      }
    }
  }
}

TEST(Subtree, HasNoParentWithWhatIsNoSubtree) {
  EXPECT_FALSE(parent_of(8, {4, 4}, {4, 8}));
  EXPECT_FALSE(parent_of(8, {4, 8}, {0, 4}));
  EXPECT_FALSE(parent_of(4, {4, 6}, {6, 8}));
  EXPECT_FALSE(parent_of(8, {0, 1}, {1, 4}));
  EXPECT_EQ(parent_of(huge, {0, std::uint64_t{1} << 63}, {std::uint64_t{1} << 63, huge}),
            (subtree{0, huge}));
}

TEST(CoverOfARange, HasTheLargestNodesInside) {
  for (std::uint64_t n = 1; n <= 24; ++n) {
    const auto nodes = nodes_of(n);
    for (std::uint64_t first = 0; first <= n; ++first) {
      for (std::uint64_t last = first; last <= n; ++last) {
        std::vector<subtree> maximal;
        for (auto s : nodes) {
          const auto no_larger_one = [&](subtree p) {
            return p == s || !inside(s, p) || !inside(p, {first, last});
          };
          if (inside(s, {first, last}) && std::ranges::all_of(nodes, no_larger_one))
            maximal.push_back(s);
        }
        EXPECT_EQ(cover_of_range(n, first, last), maximal);
      }
    }
  }
}

TEST(CoverOfARange, StaysSmallNearTheLargestNumbers) {
  const auto cover = cover_of_range(huge, 1, huge);
  EXPECT_EQ(cover.size(), 64u);
  EXPECT_EQ(cover.front(), (subtree{1, 2}));
  EXPECT_EQ(cover.back(), (subtree{std::uint64_t{1} << 63, huge}));
  EXPECT_LE(cover_of_range(huge, 1, huge - 1).size(), 126u);
}

TEST(CoverOfARangeDeathTest, OutsideTheReductionIsOurBug) {
  EXPECT_DEATH((void)cover_of_range(4, 3, 5), "inside the reduction");
  EXPECT_DEATH((void)cover_of_range(4, 3, 2), "inside the reduction");
}

TEST(FoldPlan, AddsSiblingsInLeafOrderWhateverOrderTheyCameIn) {
  const std::vector<subtree> parts{{3, 4}, {0, 2}, {2, 3}};
  const auto plan = plan_fold(4, parts);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->steps, ElementsAre(fold_plan::step{2, 0}, fold_plan::step{1, 2}));
  EXPECT_THAT(plan->remaining, ElementsAre(1u));
  EXPECT_THAT(plan->cover, ElementsAre(subtree{0, 4}));
}

TEST(FoldPlan, LeavesNeighboursThatAreNoSiblings) {
  const std::vector<subtree> parts{{2, 3}, {1, 2}};
  const auto plan = plan_fold(4, parts);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->steps, IsEmpty());
  EXPECT_THAT(plan->remaining, ElementsAre(1u, 0u));
  EXPECT_THAT(plan->cover, ElementsAre(subtree{1, 2}, subtree{2, 3}));
}

TEST(FoldPlan, OfNothingIsNothing) {
  const auto plan = plan_fold(4, {});
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->cover, IsEmpty());
}

TEST(FoldPlan, NamesBothPartsThatShareALeaf) {
  const std::vector<subtree> parts{{2, 3}, {4, 8}, {2, 4}};
  std::string why;
  EXPECT_FALSE(plan_fold(8, parts, &why));
  EXPECT_EQ(why, "leaf 2 is given twice, in [2, 3) and in [2, 4)");
}

TEST(FoldPlan, RefusesOnePartTwiceOrInsideAnother) {
  EXPECT_FALSE(plan_fold(2, std::vector<subtree>{{0, 1}, {0, 1}}));
  EXPECT_FALSE(plan_fold(8, std::vector<subtree>{{2, 3}, {0, 4}}));
}

TEST(FoldPlan, NamesThePartThatIsNoSubtree) {
  const std::vector<subtree> parts{{0, 1}, {1, 3}};
  std::string why;
  EXPECT_FALSE(plan_fold(8, parts, &why));
  EXPECT_EQ(why, "part [1, 3) is not a subtree of 8 leaves");
}

TEST(FoldPlan, FoldsACoverOfAllTheLeavesThatCanBeCounted) {
  auto parts = cover_of_range(huge, 1, huge);
  parts.push_back({0, 1});
  const auto plan = plan_fold(huge, parts);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(is_whole(huge, plan->cover));
  EXPECT_EQ(plan->steps.size(), 64u);
}

TEST(Cover, IsWholeWhenOneElementStandsForAllLeaves) {
  EXPECT_TRUE(is_whole(3, std::vector<subtree>{{0, 3}}));
  EXPECT_FALSE(is_whole(3, std::vector<subtree>{{0, 2}, {2, 3}}));
  EXPECT_FALSE(is_whole(3, {}));
  EXPECT_FALSE(is_whole(0, {}));
  EXPECT_FALSE(is_whole(4, std::vector<subtree>{{0, 3}}));
}

// ---- one expression, however the leaves were placed, split and merged

TEST(ReductionOrder, IsTheSameForEveryNumberOfLeavesWithOddAndEvenLeavesApart) {
  for (std::uint64_t n = 1; n <= 300; ++n) {
    partials even;
    partials odd;
    for (std::uint64_t leaf = n; leaf-- > 0;) {
      auto& side = leaf % 2 == 0 ? even : odd;
      side = folded(n, joined(side, {{{leaf, leaf + 1}}, {std::to_string(leaf)}}));
    }
    const auto whole = folded(n, joined(odd, even));
    ASSERT_TRUE(is_whole(n, whole.parts)) << n;
    ASSERT_EQ(whole.said.front(), expression(0, n));
  }
}

/// The leaves of each of some sources: scattered, or in blocks.
std::vector<partials> random_sources(std::uint64_t n) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 9);
  const bool blocks = *rc::gen::arbitrary<bool>();
  const auto owners =
      *rc::gen::container<std::vector<std::size_t>>(n, rc::gen::inRange<std::size_t>(0, count));
  std::vector<partials> sources(count);
  for (std::uint64_t leaf = 0; leaf < n; ++leaf) {
    auto& mine = sources[blocks ? leaf * count / n : owners[leaf]];
    mine.parts.push_back({leaf, leaf + 1});
    mine.said.push_back(std::to_string(leaf));
  }
  return sources;
}

partials shuffled(partials in) {
  std::vector<std::pair<subtree, std::string>> both;
  for (std::size_t i = 0; i < in.parts.size(); ++i) both.emplace_back(in.parts[i], in.said[i]);
  std::shuffle(both.begin(), both.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
  for (std::size_t i = 0; i < both.size(); ++i) std::tie(in.parts[i], in.said[i]) = both[i];
  return in;
}

RC_GTEST_PROP(ReductionOrder, IsTheSameForEveryPlacementSplitAndArrivalOrder, ()) {
  const auto n = *rc::gen::inRange<std::uint64_t>(1, 301);
  auto sources = random_sources(n);
  while (sources.size() > 1) {
    // Two sources meet, in either order; each may or may not have folded its own before.
    const auto a = *rc::gen::inRange<std::size_t>(0, sources.size() - 1);
    auto left = shuffled(sources[a]);
    auto right = shuffled(sources.back());
    if (*rc::gen::arbitrary<bool>()) left = folded(n, left);
    if (*rc::gen::arbitrary<bool>()) right = folded(n, right);
    sources[a] = shuffled(joined(right, left));
    sources.pop_back();
  }
  const auto whole = folded(n, sources.front());
  RC_ASSERT(is_whole(n, whole.parts));
  RC_ASSERT(whole.said.front() == expression(0, n));
}

RC_GTEST_PROP(ReductionOrder, FoldsEveryCoverAsFarAsTheTreeAllows, ()) {
  const auto n = *rc::gen::inRange<std::uint64_t>(1, 301);
  const auto first = *rc::gen::inRange<std::uint64_t>(0, n);
  const auto last = *rc::gen::inRange<std::uint64_t>(first, n + 1);
  partials range;
  for (auto leaf = first; leaf < last; ++leaf)
    range = joined(range, {{{leaf, leaf + 1}}, {std::to_string(leaf)}});
  const auto cover = folded(n, shuffled(range));
  RC_ASSERT(cover.parts == cover_of_range(n, first, last));
  for (std::size_t i = 0; i < cover.parts.size(); ++i) {
    RC_ASSERT(cover.said[i] == expression(cover.parts[i].first, cover.parts[i].last));
  }
}

}  // namespace
}  // namespace muster
