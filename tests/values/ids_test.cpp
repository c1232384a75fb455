#include <type_traits>

#include <gtest/gtest.h>

#include <muster/messages/values/ids.hpp>

namespace muster {
namespace {

TEST(Ids, OfDifferentMeaningNeitherConvertNorCompare) {
  static_assert(!std::is_convertible_v<rank, device_index>);
  static_assert(!std::is_convertible_v<std::uint32_t, rank>);
  static_assert(!std::is_convertible_v<rank, std::uint32_t>);
  static_assert(!std::equality_comparable_with<rank, device_index>);
}

TEST(Ids, OfOneMeaningAreOrderedByNumber) {
  EXPECT_LT(rank{2}, rank{10});
  EXPECT_EQ(generation{7}, generation{7});
}

TEST(Ids, PrintTheirNumber) {
  EXPECT_EQ(to_string(rank{3}), "3");
  EXPECT_EQ(to_string(generation{18'446'744'073'709'551'615u}), "18446744073709551615");
}

TEST(Ids, PrintTheLauncherByName) { EXPECT_EQ(to_string(launcher_rank), "launcher"); }

TEST(Incarnation, Prints32HexadecimalDigits) {
  EXPECT_EQ(to_string(incarnation{{0x0123456789abcdef, 1}}), "0123456789abcdef0000000000000001");
}

TEST(Incarnation, IsComparedForEqualityOnly) {
  static_assert(!std::totally_ordered<incarnation>);
  EXPECT_NE((incarnation{{1, 2}}), (incarnation{{2, 1}}));
}

}  // namespace
}  // namespace muster
