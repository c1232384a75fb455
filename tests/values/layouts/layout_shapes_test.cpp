#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <muster/messages/values/limits.hpp>
#include <muster/tests/seeds/picks.hpp>
#include <muster/tests/values/layouts/meshes.hpp>

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ShardRange, CutsADimensionIntoPiecesOfTheCeilingAndAShorterRest) {
  EXPECT_EQ(shard_range(5, 2, 0), (index_range{0, 3}));
  EXPECT_EQ(shard_range(5, 2, 1), (index_range{3, 5}));
  EXPECT_EQ(shard_range(5, 4, 2), (index_range{4, 5}));
  EXPECT_EQ(shard_range(5, 4, 3), (index_range{5, 5})) << "an empty shard, never padding";
  EXPECT_EQ(shard_range(0, 3, 1), (index_range{0, 0}));
  EXPECT_EQ(shard_range(2, 8, 1), (index_range{1, 2}));
  EXPECT_EQ(shard_range(2, 8, 7), (index_range{2, 2}));
}

TEST(ShardRange, CoversTheLargestDimension) {
  constexpr auto n = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(shard_range(n, 3, 0).first, 0);
  EXPECT_EQ(shard_range(n, 3, 1).first, shard_range(n, 3, 0).last);
  EXPECT_EQ(shard_range(n, 3, 2).last, n);
  EXPECT_EQ(shard_range(n, n, n - 1), (index_range{n - 1, n}));
  EXPECT_EQ(shard_range(3, n, n - 1), (index_range{3, 3}));
}

TEST(ShardRange, CoversEveryDimensionExactly) {
  for (std::int64_t n = 0; n <= 20; ++n)
    for (std::int64_t k = 1; k <= 9; ++k) {
      std::int64_t at = 0;
      for (std::int64_t i = 0; i < k; ++i) {
        const auto r = shard_range(n, k, i);
        ASSERT_EQ(r.first, at) << n << " over " << k;
        at = r.last;
      }
      ASSERT_EQ(at, n) << n << " over " << k;
    }
}

TEST(ShapesOfALayout, AreMultipliedAndDividedByShards) {
  const auto l = make_layout({"batch", "x", ""}, make_mesh({{"batch", 2}, {"x", 2}}));
  EXPECT_EQ(l.global_shape({1, 3, 5}).value(), (shape_vector{2, 6, 5}));
  EXPECT_EQ(l.even_local_shape({2, 6, 5}).value(), (shape_vector{1, 3, 5}));
}

TEST(ShapesOfALayout, AreRefusedWhereShardsWouldDiffer) {
  const auto l = make_layout({"batch"}, make_mesh({{"batch", 2}}));
  EXPECT_EQ(
      l.even_local_shape({5}).why().text,
      "dimension 0 of shape (5,) has size 5, which its 2 shards do not divide: the shards differ");
  EXPECT_EQ(l.local_shape(0, {5}).value(), (shape_vector{3}));
  EXPECT_EQ(l.local_shape(1, {5}).value(), (shape_vector{2}));
}

TEST(ShapesOfALayout, AreRefusedWithAnotherRankNegativeOrTooLarge) {
  const auto l = make_layout({"batch", ""}, make_mesh({{"batch", 2}}));
  EXPECT_THAT(l.slice_of(0, {4}).why().text, HasSubstr("shape (4,) for [batch,unsharded]"));
  EXPECT_THAT(l.slice_of(0, {4, -1}).why().text, HasSubstr("no size may be negative"));
  EXPECT_THAT(l.global_shape({1LL << 62, 1}).why().text, HasSubstr("63 bits"));
  EXPECT_FALSE(l.even_local_shape({2, 2, 2}).ok());
}

TEST(ShapesOfALayout, OfRankZeroAreOneElementEverywhere) {
  const auto l = layout::replicated(make_mesh({{"x", 4}, {"y", 4}}), 0);
  EXPECT_EQ(l.local_shape(15, {}).value(), shape_vector{});
  EXPECT_EQ(element_count(l.slice_of(3, {}).value()), 1);
  EXPECT_EQ(l.global_shape({}).value(), shape_vector{});
}

TEST(SliceOfADevice, FollowsItsCoordinates) {
  const auto l = make_layout({"x", "y"}, make_mesh({{"x", 2}, {"y", 4}}));
  EXPECT_EQ(to_string(l.slice_of(0, {4, 8}).value()), "[0:2, 0:2]");
  EXPECT_EQ(to_string(l.slice_of(6, {4, 8}).value()), "[2:4, 4:6]");
  EXPECT_EQ(to_string(make_layout({"", "x"}, l.mesh()).slice_of(5, {4, 8}).value()), "[0:4, 4:8]");
}

TEST(ShardOfADevice, CountsSeveralMeshDimensionsWithTheFirstSlowest) {
  const auto m = make_mesh({{"x", 2}, {"y", 3}});
  EXPECT_EQ(make_layout({"x+y"}, m).shard_of(4).value(), (shard_coordinates{4}));
  EXPECT_EQ(make_layout({"y+x"}, m).shard_of(4).value(), (shard_coordinates{3}));
}

TEST(ShardNumber, IsRowMajorOverTheCounts) {
  const auto l = make_layout({"x", "", "y"}, make_mesh({{"x", 2}, {"y", 3}}));
  EXPECT_EQ(l.shard_number(shard_coordinates{1, 0, 2}).value(), 5);
  EXPECT_EQ(l.shard_number(shard_coordinates{2, 0, 0}).why().text,
            "shard (2, 0, 0) of [x,unsharded,y]: there are (2, 1, 3) shards");
  EXPECT_FALSE(l.shard_number(shard_coordinates{0, 0}).ok());
  EXPECT_FALSE(l.shard_number(shard_coordinates{0, 0, -1}).ok());
}

TEST(ShardVector, ListsTheShardsThatDevicesHold) {
  EXPECT_EQ(shards(make_layout({"x", "y"}, make_mesh({{"x", 2}, {"y", 3}}))).value(),
            (shard_vector{{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}, {2, 3}}));
  EXPECT_EQ(shards(make_layout({"y", "x"}, make_mesh({{"x", 2}, {"y", 3}}))).value(),
            (shard_vector{{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}}, {3, 2}}));
  EXPECT_FALSE(shards(make_layout({"match"}, make_mesh({{"x", 2}}))).ok());
}

TEST(ShardVector, IsTheSameCutInSmallerPieces) {
  EXPECT_TRUE(same_cut({{{0}}, {1}}, {{{0}, {1}, {2}}, {3}}));
  EXPECT_TRUE(same_cut({{{2}}, {3}}, {{{6}, {7}, {8}}, {9}}));
  const auto all = [](std::int64_t rows, std::int64_t columns) {
    shard_vector out{{}, {rows, columns}};
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) out.shards.push_back({r, c});
    return out;
  };
  EXPECT_TRUE(same_cut(all(2, 4), all(3, 3)));
  EXPECT_FALSE(same_cut({{{0}}, {2}}, {{{0}}, {3}}));
  EXPECT_FALSE(same_cut({{{0}}, {2}}, {{{1}}, {2}}));
  EXPECT_FALSE(same_cut({{{0}}, {1}}, {{{0, 0}}, {1, 1}}));
}

TEST(ShardVector, ThatNoLayoutHasIsTheSameCutAsNone) {
  const shard_vector one{{{0}}, {1}};
  const std::int64_t beyond = static_cast<std::int64_t>(limits::mesh_devices_max) + 1;
  for (const auto& broken :
       {shard_vector{{{0}}, {0}}, shard_vector{{{0}}, {-1}}, shard_vector{{{0, 1}}, {2}},
        shard_vector{{{}}, {2}}, shard_vector{{{2}}, {2}}, shard_vector{{{-1}}, {2}},
        shard_vector{{{0}}, {beyond}}}) {
    EXPECT_FALSE(same_cut(broken, one));
    EXPECT_FALSE(same_cut(one, broken));
    EXPECT_FALSE(same_cut(broken, broken));
  }
}

TEST(ShardsOfAHost, AreTheDistinctOnesOfItsDevices) {
  const auto l = make_layout({"x", ""}, make_mesh({{"x", 4}, {"y", 1}}, 2));
  EXPECT_THAT(l.shards_of(rank{0}).value(),
              ElementsAre(shard_coordinates{0, 0}, shard_coordinates{1, 0}));
  EXPECT_THAT(l.shards_of(rank{1}).value(),
              ElementsAre(shard_coordinates{2, 0}, shard_coordinates{3, 0}));
  EXPECT_TRUE(l.shards_of(rank{9}).value().empty());
  const auto replicated = layout::replicated(l.mesh(), 1);
  EXPECT_THAT(replicated.shards_of(rank{0}).value(), ElementsAre(shard_coordinates{0}));
}

RC_GTEST_PROP(ShapesOfALayout, ComeBackThroughTheirInverseOnAnyMesh, ()) {
  picks random;
  const auto l = random_layout(random, random_mesh(random));
  const auto local = random_shape(random, l.rank());
  const auto global = l.global_shape(local).value();
  RC_ASSERT(l.even_local_shape(global).value() == local);
  for (std::size_t p = 0; p < l.mesh().size(); ++p)
    RC_ASSERT(l.local_shape(p, global).value() == local);
}

}  // namespace
}  // namespace muster::testing
