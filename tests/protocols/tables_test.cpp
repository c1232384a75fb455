// The small types of the collective: the tree, the log of verdicts, the outcomes not yet taken.
#include <gtest/gtest.h>

#include <muster/actors/protocols/tree_shape.hpp>
#include <muster/actors/protocols/untaken_table.hpp>
#include <muster/actors/protocols/verdict_log.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/tests/protocols/collective_words.hpp>

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

rank_set world_of(std::uint32_t size) { return rank_set::of_range(rank{0}, rank{size - 1}); }

tree_shape::branch branch_of(std::uint32_t head, std::uint32_t last) {
  return {rank{head}, rank_set::of_range(rank{head}, rank{last})};
}

TEST(TreeShape, CutsTheRestInNearlyEqualRangesLongerOnesFirst) {
  const auto root = tree_shape::of(rank{0}, world_of(9), 3);
  EXPECT_THAT(root.children, ElementsAre(branch_of(1, 3), branch_of(4, 6), branch_of(7, 8)));
}

TEST(TreeShape, IsAStarWhenTheFanOutIsTheWorld) {
  EXPECT_THAT(tree_shape::of(rank{0}, world_of(5), 5).children, SizeIs(4));
  EXPECT_EQ(tree_shape::of(rank{4}, world_of(5), 5).parent, rank{0});
}

TEST(TreeShape, GivesEveryRankOneParentThatKnowsItForEveryWorldAndFanOut) {
  for (const std::uint32_t fan_out : {1u, 2u, 3u, 16u})
    for (std::uint32_t world = 1; world <= 70; ++world)
      for (std::uint32_t r = 1; r < world; ++r) {
        const auto node = tree_shape::of(rank{r}, world_of(world), fan_out);
        const auto parent = tree_shape::of(node.parent.value(), world_of(world), fan_out);
        ASSERT_TRUE(parent.child_index(rank{r}).has_value());
        ASSERT_EQ(parent.children[*parent.child_index(rank{r})].ranks, node.ranks);
        ASSERT_LE(node.children.size(), fan_out);
      }
}

TEST(TreeShape, IsFourLevelsDeepForTheLargestWorld) {
  EXPECT_LE(tree_shape::of(rank{limits::world_size_max - 1}, world_of(limits::world_size_max),
                           limits::fan_out_default)
                .depth,
            4u);
}

// The same tree as that of a world, with other names on it.
TEST(TreeShape, OfAGroupGoesByThePlacesOfItsMembers) {
  const rank_set members{rank{2}, rank{3}, rank{5}, rank{8}, rank{13}, rank{21}, rank{34}};
  const auto names = members.members();
  for (const std::uint32_t fan_out : {1u, 2u, 3u, 16u})
    for (std::uint32_t place = 0; place < names.size(); ++place) {
      const auto node = tree_shape::of(names[place], members, fan_out);
      const auto same = tree_shape::of(rank{place}, world_of(7), fan_out);
      ASSERT_EQ(node.depth, same.depth);
      ASSERT_EQ(node.parent.has_value(), same.parent.has_value());
      if (same.parent) {
        ASSERT_EQ(*node.parent, names[same.parent->value]);
      }
      ASSERT_EQ(node.children.size(), same.children.size());
      for (std::size_t c = 0; c < same.children.size(); ++c) {
        rank_set renamed;
        for (const auto r : same.children[c].ranks.members()) renamed.insert(names[r.value]);
        ASSERT_EQ(node.children[c],
                  (tree_shape::branch{names[same.children[c].head.value], renamed}));
      }
    }
}

TEST(VerdictLog, ForgetsAnEntryWhenEveryChildHasAcknowledgedIt) {
  verdict_log log(2);
  log.append(decided(1, barrier("a")));
  log.acknowledge(0, verdict_number{1});
  EXPECT_EQ(log.size(), 1u);
  log.acknowledge(1, verdict_number{1});
  EXPECT_EQ(log.size(), 0u);
}

TEST(VerdictLog, KnowsWhetherAnOperationWasDecidedAfterANumber) {
  verdict_log log(1);
  log.append(decided(1, barrier("a")));
  log.append(decided(2, barrier("b")));
  EXPECT_TRUE(log.decided_after(barrier("b"), verdict_number{1}));
  EXPECT_FALSE(log.decided_after(barrier("b"), verdict_number{2}));
  EXPECT_FALSE(log.decided_after(barrier("c"), verdict_number{0}));
}

TEST(VerdictLog, KeepsNothingOnALeaf) {
  verdict_log log(0);
  log.append(decided(1, barrier("a")));
  EXPECT_EQ(log.size(), 0u);
  EXPECT_EQ(log.applied(), verdict_number{1});
}

TEST(UntakenTable, HandsOutTheOutcomesOfANameInOrder) {
  untaken_table table;
  table.add(barrier("x"), error(status_code::cancelled, "1"));
  table.add(barrier("x"), error(status_code::cancelled, "2"));
  EXPECT_EQ(table.take(barrier("x"))->text, "1");
  EXPECT_EQ(table.take(barrier("x"))->text, "2");
  EXPECT_EQ(table.take(barrier("x")), std::nullopt);
}

TEST(UntakenTable, KeepsATrainOfOrderedOperationsThatFailedForBeingBehindInOneEntry) {
  untaken_table table;
  for (std::uint64_t n = 1; n <= 1'000; ++n)
    table.add(operation(n), error(status_code::straggler_behind, "behind"));
  EXPECT_EQ(table.size(), 1u);
  for (std::uint64_t n = 1; n <= 1'000; ++n)
    ASSERT_EQ(table.take(operation(n))->code, status_code::straggler_behind);
  EXPECT_EQ(table.size(), 0u);
}

TEST(UntakenTable, ReportsANameAtItsLimitAndEverythingAtTheTotal) {
  untaken_table table;
  for (std::size_t n = 0; n < limits::untaken_rounds_max; ++n)
    table.add(barrier("x"), error(status_code::cancelled, ""));
  EXPECT_THAT(table.limits_reached(rank{1}).names, ElementsAre(barrier("x")));
  for (std::size_t n = 0; table.size() < limits::untaken_total_max; ++n)
    table.add(barrier(std::to_string(n)), error(status_code::cancelled, ""));
  EXPECT_TRUE(table.limits_reached(rank{1}).everything);
}

}  // namespace
}  // namespace muster::testing
