#include <muster/messages/values/half.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

float up(float v) { return std::nextafter(v, infinity); }
float down(float v) { return std::nextafter(v, -infinity); }

/// All finite numbers from zero upward, in order, are consecutive bit patterns.
template <class Half, class Convert>
void rounds_to_nearest_even(std::uint16_t first_infinite, Convert convert) {
  for (std::uint16_t bits = 0; bits + 1 < first_infinite; ++bits) {
    const float low = to_float(Half{bits});
    const float high = to_float(Half{static_cast<std::uint16_t>(bits + 1)});
    const float middle = low + (high - low) / 2;  // exact: a float has bits to spare
    const auto even = static_cast<std::uint16_t>(bits + (bits & 1));
    ASSERT_EQ(convert(low).bits, bits);
    ASSERT_EQ(convert(middle).bits, even) << bits;
    ASSERT_EQ(convert(down(middle)).bits, bits) << bits;
    ASSERT_EQ(convert(up(middle)).bits, bits + 1) << bits;
    ASSERT_EQ(convert(-middle).bits, even | 0x8000) << bits;
  }
}

TEST(Float16, IsRoundedToNearestWithTiesToEven) {
  rounds_to_nearest_even<float16>(0x7c00, to_float16);
}

TEST(BFloat16, IsRoundedToNearestWithTiesToEven) {
  rounds_to_nearest_even<bfloat16>(0x7f80, to_bfloat16);
}

TEST(Float16, ComesBackFromEveryNumber) {
  for (std::uint32_t bits = 0; bits < 0x1'0000; ++bits) {
    const float16 h{static_cast<std::uint16_t>(bits)};
    const float v = to_float(h);
    ASSERT_EQ(to_float16(v).bits, v == v ? h.bits : 0x7e00) << bits;
  }
}

TEST(BFloat16, ComesBackFromEveryNumber) {
  for (std::uint32_t bits = 0; bits < 0x1'0000; ++bits) {
    const bfloat16 h{static_cast<std::uint16_t>(bits)};
    const float v = to_float(h);
    ASSERT_EQ(to_bfloat16(v).bits, v == v ? h.bits : 0x7fc0) << bits;
  }
}

TEST(Float16, HasTheValuesOfBinary16) {
  EXPECT_EQ(to_float(float16{0x3c00}), 1.f);
  EXPECT_EQ(to_float(float16{0x7bff}), 65504.f);
  EXPECT_EQ(to_float(float16{0x0400}), 0x1p-14f);
  EXPECT_EQ(to_float(float16{0x0001}), 0x1p-24f);
  EXPECT_EQ(to_float(float16{0xfc00}), -infinity);
  EXPECT_TRUE(std::signbit(to_float(float16{0x8000})));
}

TEST(Float16, IsInfiniteFromHalfWayBeyondItsLargest) {
  EXPECT_EQ(to_float16(down(65520.f)).bits, 0x7bff);
  EXPECT_EQ(to_float16(65520.f).bits, 0x7c00);
  EXPECT_EQ(to_float16(-1e30f).bits, 0xfc00);
  EXPECT_EQ(to_float16(infinity).bits, 0x7c00);
}

TEST(Float16, IsZeroUpToHalfItsSmallest) {
  EXPECT_EQ(to_float16(0x1p-25f).bits, 0);
  EXPECT_EQ(to_float16(up(0x1p-25f)).bits, 1);
  EXPECT_EQ(to_float16(-0x1p-30f).bits, 0x8000);
}

TEST(BFloat16, IsInfiniteFromHalfWayBeyondItsLargest) {
  EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
  EXPECT_EQ(to_bfloat16(to_float(bfloat16{0x7f7f})).bits, 0x7f7f);
  EXPECT_EQ(to_bfloat16(-infinity).bits, 0xff80);
}

}  // namespace
}  // namespace muster
