#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <muster/messages/values/rank_set.hpp>

namespace muster {
namespace {

using testing::ElementsAre;
using range = rank_set::range;

constexpr std::uint32_t last_number = std::numeric_limits<std::uint32_t>::max();

TEST(RankSet, IsEmptyAtFirst) {
  rank_set s;
  EXPECT_TRUE(s.empty());
  EXPECT_EQ(s.size(), 0u);
  EXPECT_FALSE(s.contains(rank{0}));
  EXPECT_EQ(to_string(s), "none");
}

TEST(RankSet, MergesRangesThatTouch) {
  rank_set s{rank{1}, rank{3}};
  s.insert(rank{2});
  EXPECT_THAT(s.ranges(), ElementsAre(range{1, 3}));
}

TEST(RankSet, KeepsRangesApartThatDoNotTouch) {
  EXPECT_THAT((rank_set{rank{7}, rank{1}, rank{4}}.ranges()),
              ElementsAre(range{1, 1}, range{4, 4}, range{7, 7}));
}

TEST(RankSet, SwallowsTheRangesThatALongerOneCovers) {
  rank_set s{rank{1}, rank{4}, rank{7}, rank{20}};
  s.insert_range(rank{2}, rank{10});
  EXPECT_THAT(s.ranges(), ElementsAre(range{1, 10}, range{20, 20}));
}

TEST(RankSet, OfABackwardRangeIsEmpty) {
  EXPECT_TRUE(rank_set::of_range(rank{3}, rank{2}).empty());
}

TEST(RankSet, SplitsARangeWhereARankIsErased) {
  auto s = rank_set::of_range(rank{1}, rank{5});
  s.erase(rank{3});
  s.erase(rank{1});
  s.erase(rank{5});
  s.erase(rank{9});
  EXPECT_THAT(s.ranges(), ElementsAre(range{2, 2}, range{4, 4}));
}

TEST(RankSet, ReachesTheLargestNumberWithoutWrapping) {
  rank_set s{rank{0}, rank{last_number}};
  s.insert(rank{last_number - 1});
  EXPECT_THAT(s.ranges(), ElementsAre(range{0, 0}, range{last_number - 1, last_number}));
  EXPECT_EQ(rank_set::of_range(rank{0}, rank{last_number}).size(), std::uint64_t{1} << 32);
  EXPECT_EQ(rank_set::of_range(rank{0}, rank{last_number}).minus(s).size(),
            (std::uint64_t{1} << 32) - 3);
}

TEST(RankSet, PrintsRangesAndCutsALongList) {
  EXPECT_EQ(to_string(rank_set{rank{0}, rank{1}, rank{2}, rank{3}, rank{7}}), "0-3,7");
  EXPECT_EQ(to_string(rank_set{rank{0}, rank{2}, rank{4}, rank{5}}, 2), "0,2,... (4 ranks)");
  EXPECT_EQ(to_string(rank_set{rank{0}, rank{2}}, 2), "0,2");
}

// ---- like a plain set of numbers

using numbers = std::set<std::uint32_t>;

numbers numbers_of(const rank_set& s) {
  numbers out;
  for (rank r : s.members()) out.insert(r.value);
  return out;
}

bool well_formed(const rank_set& s) {
  const auto& r = s.ranges();
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (r[i].last < r[i].first || (i > 0 && r[i].first <= r[i - 1].last + 1)) return false;
  }
  return true;
}

/// Few numbers, so that ranges meet often.
rank_set random_set() {
  rank_set s;
  for (auto v : *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0u, 40u)))
    s.insert(rank{v});
  return s;
}

RC_GTEST_PROP(RankSet, BehavesLikeASetOfNumbersUnderInsertAndErase, ()) {
  rank_set s;
  numbers model;
  const auto steps = *rc::gen::inRange(0, 60);
  for (int i = 0; i < steps; ++i) {
    const auto a = *rc::gen::inRange(0u, 40u);
    const auto b = a + *rc::gen::inRange(0u, 6u);
    const bool erases = *rc::gen::arbitrary<bool>();
    if (erases)
      s.erase(rank{a});
    else
      s.insert_range(rank{a}, rank{b});
    if (erases)
      model.erase(a);
    else
      for (auto v = a; v <= b; ++v) model.insert(v);
    RC_ASSERT(well_formed(s));
    RC_ASSERT(numbers_of(s) == model);
    RC_ASSERT(s.size() == model.size());
  }
  for (std::uint32_t v = 0; v < 50; ++v) RC_ASSERT(s.contains(rank{v}) == model.contains(v));
}

RC_GTEST_PROP(RankSet, BehavesLikeASetOfNumbersWithAnotherSet, ()) {
  const auto a = random_set();
  const auto b = random_set();
  auto united = a;
  united.merge(b);
  RC_ASSERT(well_formed(united) && well_formed(a.minus(b)) && well_formed(a.intersection(b)));
  for (std::uint32_t v = 0; v < 42; ++v) {
    const bool in_a = a.contains(rank{v});
    const bool in_b = b.contains(rank{v});
    RC_ASSERT(united.contains(rank{v}) == (in_a || in_b));
    RC_ASSERT(a.minus(b).contains(rank{v}) == (in_a && !in_b));
    RC_ASSERT(a.intersection(b).contains(rank{v}) == (in_a && in_b));
  }
}

}  // namespace
}  // namespace muster
