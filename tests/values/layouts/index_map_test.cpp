#include <muster/messages/values/layouts/index_map.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <muster/tests/seeds/picks.hpp>
#include <muster/tests/values/layouts/meshes.hpp>

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// "0 [0:2, 0:8]" per shard: who owns it, and its slice.
std::vector<std::string> owners_and_slices(const layout& l, const shape_vector& shape) {
  const auto map = index_map::of(l, shape).value();
  std::vector<std::string> out;
  for (std::int64_t s = 0; s < map.shard_count(); ++s)
    out.push_back(std::to_string(map.owners()[static_cast<std::size_t>(s)]) + " " +
                  to_string(map.slice_of_shard(s)));
  return out;
}

// The plan of a sharded save in DTensor, for x=2,y=4.
TEST(OwnersOfSlices, AreTheFirstDevicesThatHoldThemOnOneHost) {
  const auto m = make_mesh({{"x", 2}, {"y", 4}});
  EXPECT_THAT(owners_and_slices(make_layout({"x", ""}, m), {4, 8}),
              ElementsAre("0 [0:2, 0:8]", "4 [2:4, 0:8]"));
  EXPECT_THAT(owners_and_slices(make_layout({"", "x"}, m), {4, 8}),
              ElementsAre("0 [0:4, 0:4]", "4 [0:4, 4:8]"));
  EXPECT_THAT(owners_and_slices(make_layout({"", ""}, m), {4, 8}), ElementsAre("0 [0:4, 0:8]"));
  EXPECT_THAT(owners_and_slices(make_layout({"x", "y"}, m), {2, 4}),
              ElementsAre("0 [0:1, 0:1]", "1 [0:1, 1:2]", "2 [0:1, 2:3]", "3 [0:1, 3:4]",
                          "4 [1:2, 0:1]", "5 [1:2, 1:2]", "6 [1:2, 2:3]", "7 [1:2, 3:4]"));
}

TEST(OwnersOfSlices, LeaveNoRowOfAnUnevenDimensionOut) {
  EXPECT_THAT(owners_and_slices(make_layout({"x", ""}, make_mesh({{"x", 2}, {"y", 4}})), {5, 8}),
              ElementsAre("0 [0:3, 0:8]", "4 [3:5, 0:8]"));
}

TEST(OwnersOfSlices, AreSpreadOverTheHostsThatHoldReplicas) {
  // y=4 is replicated over hosts 0 and 1: each answers for half of the shards.
  const auto l = make_layout({"y"}, make_mesh({{"x", 2}, {"y", 4}}, 2));
  EXPECT_THAT(index_map::of(l, {8}).value().owners(), ElementsAre(0u, 5u, 2u, 7u));
}

TEST(OwnersOfSlices, ArePickedWhereAHostAnswersForTheMostElementsThatFit) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const auto l = make_layout({"x", ""}, make_mesh({{"x", 2}}));
  EXPECT_THAT(index_map::of(l, {1, most}).value().owners(), ElementsAre(0u, 1u));
}

TEST(IndexMap, SaysWhatEachDeviceHolds) {
  const auto map =
      index_map::of(make_layout({"y", "x"}, make_mesh({{"x", 2}, {"y", 3}})), {6, 2}).value();
  EXPECT_EQ(map.device_count(), 6u);
  EXPECT_EQ(map.shard_count(), 6);
  EXPECT_EQ(map.shard(1), 2);
  EXPECT_EQ(to_string(map.slice(1)), "[2:4, 0:1]");
}

TEST(IndexMap, IsRefusedForMatchAnotherRankAndTheEmptyMesh) {
  const auto m = make_mesh({{"x", 2}});
  EXPECT_THAT(index_map::of(make_layout({"match"}, m), {2}).why().text, HasSubstr("match"));
  EXPECT_THAT(index_map::of(make_layout({"x"}, m), {2, 2}).why().text, HasSubstr("same rank"));
  EXPECT_THAT(index_map::of(layout{}, {}).why().text, HasSubstr("empty mesh"));
}

TEST(IndexMap, OfAnArrayWithoutElementsHasOwnersAllTheSame) {
  const auto map = index_map::of(make_layout({"x"}, make_mesh({{"x", 4}})), {0}).value();
  EXPECT_THAT(map.owners(), ElementsAre(0u, 1u, 2u, 3u));
  EXPECT_EQ(to_string(map.slice(3)), "[0:0]");
}

/// Counts, for each element, the shards that have it.
std::map<shape_vector, int> cover_of(const index_map& map) {
  std::map<shape_vector, int> out;
  for (std::int64_t s = 0; s < map.shard_count(); ++s) {
    std::vector<shape_vector> elements{{}};
    for (const auto& r : map.slice_of_shard(s)) {
      std::vector<shape_vector> next;
      for (const auto& e : elements)
        for (auto i = r.first; i < r.last; ++i) {
          next.push_back(e);
          next.back().push_back(i);
        }
      elements = std::move(next);
    }
    for (const auto& e : elements) ++out[e];
  }
  return out;
}

RC_GTEST_PROP(IndexMap, CoversEveryElementExactlyOnceOnAnyMesh, ()) {
  picks random;
  const auto l = random_layout(random, random_mesh(random));
  const auto shape = random_shape(random, l.rank());
  const auto map = index_map::of(l, shape).value();
  const auto cover = cover_of(map);
  RC_ASSERT(static_cast<std::int64_t>(cover.size()) == element_count(shape));
  for (const auto& [element, times] : cover) RC_ASSERT(times == 1);
}

RC_GTEST_PROP(IndexMap, AgreesWithTheLayoutDeviceByDevice, ()) {
  picks random;
  const auto l = random_layout(random, random_mesh(random));
  const auto shape = random_shape(random, l.rank());
  const auto map = index_map::of(l, shape).value();
  for (std::size_t p = 0; p < l.mesh().size(); ++p) {
    RC_ASSERT(map.slice(p) == l.slice_of(p, shape).value());
    RC_ASSERT(map.shard(p) == l.shard_number(l.shard_of(p).value()).value());
  }
}

RC_GTEST_PROP(OwnersOfSlices, AreOnTheHostThatAnswersForTheLeastAndFirstInTheMesh, ()) {
  picks random;
  const auto l = random_layout(random, random_mesh(random));
  const auto map = index_map::of(l, random_shape(random, l.rank())).value();
  const auto host = [&](std::size_t p) { return l.mesh().devices()[p].host; };
  std::map<rank, std::int64_t> load;
  for (std::int64_t s = 0; s < map.shard_count(); ++s) {
    const auto owner = map.owners()[static_cast<std::size_t>(s)];
    for (std::size_t p = 0; p < map.device_count(); ++p)
      if (map.shard(p) == s)
        RC_ASSERT(std::pair(load[host(owner)], owner) <= std::pair(load[host(p)], p));
    load[host(owner)] += element_count(map.slice(owner));
  }
}

RC_GTEST_PROP(OwnersOfSlices, AnswerForAlikeWhereEveryHostHoldsAll, ()) {
  picks random;
  const auto hosts = 1 + static_cast<std::uint32_t>(random.below(4));
  const auto k = 1 + static_cast<std::int64_t>(random.below(6));
  const auto m = make_mesh({{"replica", hosts}, {"x", k}}, hosts);
  const auto map = index_map::of(make_layout({"x"}, m), random_shape(random, 1)).value();
  std::vector<std::int64_t> load(hosts, 0);
  std::int64_t largest = 0;
  for (auto owner : map.owners()) {
    const auto elements = element_count(map.slice(owner));
    load[m.devices()[owner].host.value] += elements;
    largest = std::max(largest, elements);
  }
  RC_ASSERT(std::ranges::max(load) - std::ranges::min(load) <= largest);
}

RC_GTEST_PROP(OwnersOfSlices, AreTheSameForAHostThatReadsTheLayout, ()) {
  picks random;
  const auto l = random_layout(random, random_mesh(random));
  const auto shape = random_shape(random, l.rank());
  const auto read = parse_layout(to_string(l)).value();
  RC_ASSERT(index_map::of(read, shape).value().owners() ==
            index_map::of(l, shape).value().owners());
}

RC_GTEST_PROP(OwnersOfSlices, HoldWhatTheyAnswerForAndNoneAnswersForTwo, ()) {
  picks random;
  const auto l = random_layout(random, random_mesh(random));
  const auto map = index_map::of(l, random_shape(random, l.rank())).value();
  std::set<std::size_t> met;
  for (std::int64_t s = 0; s < map.shard_count(); ++s) {
    const auto owner = map.owners()[static_cast<std::size_t>(s)];
    RC_ASSERT(map.shard(owner) == s);
    RC_ASSERT(met.insert(owner).second);
  }
}

}  // namespace
}  // namespace muster::testing
