#include <muster/messages/values/topology/rings.hpp>

#include <algorithm>
#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <muster/tests/seeds/picks.hpp>

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using cells = std::vector<core_location>;

/// "3101": x 3, y 1, z 0, core 1.
std::string text(const cells& all) {
  std::string out;
  for (const auto& c : all) {
    if (!out.empty()) out += ' ';
    for (auto n : {c.x, c.y, c.z, c.core}) out += static_cast<char>('0' + n);
  }
  return out;
}

cells parsed(std::string_view digits) {
  cells out;
  for (std::size_t i = 0; i + 4 <= digits.size(); i += 5)
    out.push_back({digits[i] - '0', digits[i + 1] - '0', digits[i + 2] - '0', digits[i + 3] - '0'});
  return out;
}

cells in_order(const cells& all, bool rotate = false) {
  cells out;
  for (auto i : ring_order(all, rotate)) out.push_back(all[i]);
  return out;
}

// ---- one ring

TEST(Ring, OfFourCellsGoesRoundTheSquare) {
  const auto input = parsed("0000 0100 1000 1100");
  EXPECT_THAT(ring_order(input), ElementsAre(0u, 2u, 3u, 1u));
  EXPECT_EQ(text(in_order(input)), "0000 1000 1100 0100");
}

TEST(Ring, OfTwoCoresPerCellKeepsThemTogether) {
  const auto input = parsed("0000 0100 0001 0101 1000 1100 1001 1101");
  EXPECT_THAT(ring_order(input), ElementsAre(0u, 2u, 4u, 6u, 5u, 7u, 1u, 3u));
  EXPECT_EQ(text(in_order(input)), "0000 0001 1000 1001 1100 1101 0100 0101");
}

TEST(Ring, OfSixteenCellsGoesBackAndForthAndHomeThroughTheFirstColumn) {
  cells input;
  for (int x = 0; x < 4; ++x)
    for (int y = 0; y < 4; ++y)
      for (int core = 0; core < 2; ++core) input.push_back({x, y, 0, core});
  EXPECT_EQ(text(in_order(input)),
            "0000 0001 1000 1001 2000 2001 3000 3001 3100 3101 2100 2101 1100 1101 1200 1201 "
            "2200 2201 3200 3201 3300 3301 2300 2301 1300 1301 0300 0301 0200 0201 0100 0101");
}

TEST(Ring, ThroughTwoPlanesGoesHomeThroughTheCornerColumn) {
  cells input;
  for (int z = 0; z < 2; ++z)
    for (int x = 0; x < 2; ++x)
      for (int y = 0; y < 2; ++y)
        for (int core = 0; core < 2; ++core) input.push_back({x, y, z, core});
  EXPECT_EQ(text(in_order(input)),
            "1000 1001 1100 1101 0100 0101 0111 0110 1111 1110 1011 1010 0010 0011 0000 0001");
}

TEST(Ring, ThroughTwoLargePlanesWalksTheSecondBackwards) {
  cells input;
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x)
        for (int core = 0; core < 2; ++core) input.push_back({x, y, z, core});
  EXPECT_EQ(text(in_order(input)),
            "1000 1001 2000 2001 3000 3001 3100 3101 2100 2101 1100 1101 1200 1201 2200 2201 "
            "3200 3201 3300 3301 2300 2301 1300 1301 0300 0301 0200 0201 0100 0101 0111 0110 "
            "0211 0210 0311 0310 1311 1310 2311 2310 3311 3310 3211 3210 2211 2210 1211 1210 "
            "1111 1110 2111 2110 3111 3110 3011 3010 2011 2010 1011 1010 0010 0011 0000 0001");
}

TEST(Ring, OfNothingIsNothing) {
  EXPECT_THAT(ring_order({}), IsEmpty());
  EXPECT_THAT(ring_order(parsed("3130")), ElementsAre(0u));
}

TEST(Ring, RotatedGoesAlongColumnsFirst) {
  EXPECT_EQ(text(in_order(parsed("0000 0100 1000 1100"), true)), "0000 0100 1100 1000");
}

TEST(Ring, TakesTheSmallestAndTheLargestNumbers) {
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  const cells input{{0, 0, 0, 0}, {1, 0, most, least}, {1, 0, most, most}};
  EXPECT_THAT(ring_order(input), ElementsAre(2u, 1u, 0u));
}

bool adjacent(const core_location& a, const core_location& b) {
  return std::abs(a.x - b.x) + std::abs(a.y - b.y) + std::abs(a.z - b.z) == 1;
}

TEST(Ring, OfAnEvenNumberOfRowsHasOnlyAdjacentNeighbours) {
  for (int columns = 2; columns <= 6; ++columns)
    for (int rows = 2; rows <= 6; rows += 2) {
      cells input;
      for (int x = 0; x < columns; ++x)
        for (int y = 0; y < rows; ++y) input.push_back({x, y, 0, 0});
      const auto ring = in_order(input);
      for (std::size_t i = 0; i < ring.size(); ++i)
        ASSERT_TRUE(adjacent(ring[i], ring[(i + 1) % ring.size()]))
            << columns << " x " << rows << ", " << i;
    }
}

RC_GTEST_PROP(Ring, IsAPermutationOfAnyCells, ()) {
  picks random;
  const auto number = [&](std::uint64_t below) {
    return static_cast<std::int32_t>(random.below(below));
  };
  cells input(random.below(40));
  for (auto& c : input) c = {number(5) - 2, number(5), number(3), number(2)};
  auto order = ring_order(input, random.chance(0.5));
  std::ranges::sort(order);
  RC_ASSERT(order.size() == input.size());
  for (std::size_t i = 0; i < order.size(); ++i) RC_ASSERT(order[i] == i);
}

// ---- rings of rings

cells four_blocks() {
  cells out;
  for (auto [left, top] : {std::pair{0, 0}, {0, 2}, {2, 0}, {2, 2}})
    for (int x = 0; x < 2; ++x)
      for (int y = 0; y < 2; ++y)
        for (int core = 0; core < 2; ++core) out.push_back({left + x, top + y, 0, core});
  return out;
}

TEST(OrthogonalRings, AreThemselvesInARing) {
  EXPECT_EQ(text(orthogonal_rings(four_blocks(), 8, false).value()),
            "0000 0001 1000 1001 1100 1101 0100 0101 2000 2001 3000 3001 3100 3101 2100 2101 "
            "2200 2201 3200 3201 3300 3301 2300 2301 0200 0201 1200 1201 1300 1301 0300 0301");
}

TEST(OrthogonalRings, RotatedGoTheOtherWayRound) {
  EXPECT_EQ(text(orthogonal_rings(four_blocks(), 8, true).value()),
            "0000 0001 1000 1001 1100 1101 0100 0101 0200 0201 1200 1201 1300 1301 0300 0301 "
            "2200 2201 3200 3201 3300 3301 2300 2301 2000 2001 3000 3001 3100 3101 2100 2101");
}

TEST(OrthogonalRings, RefuseASizeThatDoesNotDivide) {
  EXPECT_EQ(orthogonal_rings(four_blocks(), 5, false).why().text,
            "rings of 5 from 32 cores: the size must divide their number");
  EXPECT_FALSE(orthogonal_rings(four_blocks(), 0, false).ok());
  EXPECT_THAT(orthogonal_rings({}, 8, false).value(), IsEmpty());
}

// ---- enumeration

constexpr auto X = core_axis::x, Y = core_axis::y, Z = core_axis::z, C = core_axis::core;

TEST(Enumeration, GoesAlongTheAxesInTheirOrder) {
  EXPECT_EQ(text(enumerate_cores({2, 2, 1, 2}, {2, 2, 1, 2}, {C, Z, Y, X}, true, 8).value()),
            "0000 0001 0100 0101 1000 1001 1100 1101");
}

TEST(Enumeration, KeepsHostsTogether) {
  EXPECT_EQ(text(enumerate_cores({4, 4, 1, 2}, {4, 4, 1, 2}, {C, Y, Z, X}, false, 8).value()),
            "0000 0001 0100 0101 1000 1001 1100 1101 0200 0201 0300 0301 1200 1201 1300 1301 "
            "2000 2001 2100 2101 3000 3001 3100 3101 2200 2201 2300 2301 3200 3201 3300 3301");
}

TEST(Enumeration, KeepsRingsTogether) {
  EXPECT_EQ(text(enumerate_cores({4, 4, 1, 2}, {2, 2, 1, 2}, {C, X, Y, Z}, false, 8).value()),
            "0000 0001 1000 1001 0100 0101 1100 1101 2000 2001 3000 3001 2100 2101 3100 3101 "
            "0200 0201 1200 1201 0300 0301 1300 1301 2200 2201 3200 3201 2300 2301 3300 3301");
}

TEST(Enumeration, SplitsHostsWhereItMay) {
  cells expected;
  for (int x = 0; x < 4; ++x)
    for (int y = 0; y < 4; ++y)
      for (int core = 0; core < 2; ++core) expected.push_back({x, y, 0, core});
  EXPECT_EQ(text(enumerate_cores({4, 4, 1, 2}, {4, 4, 1, 2}, {C, Y, Z, X}, true, 8).value()),
            text(expected));
}

TEST(Enumeration, GoesThroughACube) {
  cells expected;
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x)
        for (int core = 0; core < 2; ++core) expected.push_back({x, y, z, core});
  EXPECT_EQ(text(enumerate_cores({4, 4, 4, 2}, {4, 4, 4, 2}, {C, X, Y, Z}, true, 64).value()),
            text(expected));
}

// A peer compares these bounds as lists, accepts them, and enumerates cores that are not there.
TEST(Enumeration, ComparesBoundsAxisByAxis) {
  EXPECT_EQ(
      enumerate_cores({4, 4, 1, 2}, {4, 1, 1, 2}, {C, X, Y, Z}, false, 8).why().text,
      "ring bounds (4, 1, 1, 2) must be multiples of the host's (2, 2, 1, 2) along every axis");
  EXPECT_EQ(enumerate_cores({4, 4, 1, 2}, {2, 8, 1, 2}, {C, X, Y, Z}, false, 8).why().text,
            "ring bounds (2, 8, 1, 2) must divide the topology's (4, 4, 1, 2) along every axis");
}

TEST(Enumeration, RefusesWhatIsNoTopology) {
  const core_axes axes{C, X, Y, Z};
  const auto why = [&](core_bounds box, core_bounds ring, std::size_t size, bool split = true) {
    return enumerate_cores(box, ring, axes, split, size).why().text;
  };
  EXPECT_THAT(why({2, 2, 1, 3}, {2, 2, 1, 3}, 4),
              HasSubstr("(2, 2, 1, 3): a cell has 1 or 2 cores"));
  EXPECT_THAT(why({0, 2, 1, 1}, {1, 1, 1, 1}, 4),
              HasSubstr("(0, 2, 1, 1): each must be at least 1"));
  EXPECT_THAT(why({2, 2, 1, 1}, {2, -2, 1, 1}, 4), HasSubstr("(2, -2, 1, 1)"));
  EXPECT_THAT(why({1 << 20, 1 << 20, 1, 1}, {1, 1, 1, 1}, 4), HasSubstr("more than"));
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  EXPECT_THAT(why({least, most, most, 2}, {1, 1, 1, 1}, 4), HasSubstr("each must be at least 1"));
  EXPECT_THAT(
      ring_mesh_order(std::vector<mesh_dimension>{{"x", 2}}, {least, most, most, 2}).why().text,
      HasSubstr("of 0 cores"));
  EXPECT_THAT(why({3, 2, 1, 1}, {2, 2, 1, 1}, 4), HasSubstr("must divide"));
  EXPECT_THAT(why({2, 2, 1, 2}, {2, 2, 1, 2}, 4, false),
              HasSubstr("a ring of 4 cores is smaller than a host of 8"));
  EXPECT_THAT(enumerate_cores({2, 2, 1, 1}, {2, 2, 1, 1}, {X, X, Y, Z}, true, 4).why().text,
              HasSubstr("once each"));
}

RC_GTEST_PROP(Enumeration, HasEveryCoreOnce, ()) {
  picks random;
  const auto number = [&](std::uint64_t below) {
    return 1 + static_cast<std::int32_t>(random.below(below));
  };
  const core_bounds ring{2 * number(2), 2 * number(2), number(2), number(2)};
  const core_bounds box{ring[0] * number(3), ring[1] * number(3), ring[2] * number(3), ring[3]};
  core_axes axes{C, X, Y, Z};
  for (std::size_t i = 4; i > 1; --i) std::swap(axes[i - 1], axes[random.below(i)]);
  const auto all = enumerate_cores(box, ring, axes, random.chance(0.5), 8).value();
  RC_ASSERT(std::set(all.begin(), all.end()).size() == all.size());
  RC_ASSERT(all.size() == static_cast<std::size_t>(box[0] * box[1] * box[2] * box[3]));
}

// ---- meshes of rings

std::vector<mesh_dimension> shape(std::initializer_list<std::int64_t> sizes) {
  std::vector<mesh_dimension> out;
  for (auto n : sizes) out.push_back({"d" + std::to_string(out.size()), n});
  return out;
}

TEST(RingMesh, OfTwoCoresTakesAnyRingsThatFit) {
  const core_bounds two{1, 1, 1, 2};
  EXPECT_EQ(text(ring_mesh_order(shape({2}), two).value()), "0000 0001");
  for (auto dimensions : {1, 0, -1})
    EXPECT_EQ(text(ring_mesh_order(shape({2, 1}), two, {.ring_dimensions = dimensions}).value()),
              "0000 0001");
  EXPECT_EQ(text(ring_mesh_order(shape({1, 2, 1}), two, {.ring_dimensions = -2}).value()),
            "0000 0001");
  EXPECT_EQ(text(ring_mesh_order(shape({2, 1}), two, {.axes = {X, Z, Y, C}}).value()), "0000 0001");
}

TEST(RingMesh, RefusesAnotherSizeThanTheTopologys) {
  EXPECT_EQ(
      ring_mesh_order(shape({1}), {1, 1, 1, 2}).why().text,
      "a mesh of 1 devices for a topology (1, 1, 1, 2) of 2 cores: there must be one for each");
  EXPECT_THAT(ring_mesh_order({}, {1, 1, 1, 1}).why().text, HasSubstr("at least one dimension"));
  EXPECT_THAT(ring_mesh_order(shape({0}), {1, 1, 1, 1}).why().text, HasSubstr("has size 0"));
}

TEST(RingMesh, RefusesRingsThatAreSmallerThanAHostThatMayNotBeSplit) {
  EXPECT_THAT(ring_mesh_order(shape({2, 1}), {1, 1, 1, 2}, {.split_hosts = false}).why().text,
              HasSubstr("a ring of 1 cores is smaller than a host of 2"));
}

TEST(RingMesh, RefusesRingsOverMoreDimensionsThanThereAre) {
  EXPECT_EQ(ring_mesh_order(shape({2}), {1, 1, 1, 2}, {.ring_dimensions = 2}).why().text,
            "rings over 2 dimensions of a mesh of 1: it must be -1 to 1");
  EXPECT_FALSE(ring_mesh_order(shape({2}), {1, 1, 1, 2}, {.ring_dimensions = -2}).ok());
}

TEST(RingMesh, HasItsRingsAlongTheLastDimensions) {
  EXPECT_EQ(
      text(ring_mesh_order(shape({2, 4}), {4, 2, 1, 1}, {.ring_bounds = core_bounds{2, 2, 1, 1}})
               .value()),
      "0000 1000 1100 0100 2000 3000 3100 2100");
}

TEST(RingMesh, HasItsRingsAlongTheFirstDimensions) {
  EXPECT_EQ(text(ring_mesh_order(shape({4, 2}), {4, 2, 1, 1},
                                 {.ring_dimensions = 1, .ring_bounds = core_bounds{2, 2, 1, 1}})
                     .value()),
            "0000 2000 1000 3000 1100 3100 0100 2100");
}

TEST(RingMesh, PutsItsRingsInARing) {
  const auto across =
      ring_mesh_order(shape({4, 8}), {4, 4, 1, 2},
                      {.ring_bounds = core_bounds{2, 2, 1, 2}, .ring_across_rings = true})
          .value();
  EXPECT_EQ(text({across.begin(), across.begin() + 16}),
            "0000 0001 1000 1001 1100 1101 0100 0101 2000 2001 3000 3001 3100 3101 2100 2101");
}

TEST(RingMesh, OfTenThousandCoresHasEveryOneOnce) {
  const auto all =
      ring_mesh_order(shape({100, 100}), {50, 100, 1, 2}, {.ring_bounds = core_bounds{1, 50, 1, 2}})
          .value();
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 10'000u);
}

}  // namespace
}  // namespace muster::testing
