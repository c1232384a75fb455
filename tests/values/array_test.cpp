#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/array.hpp>

namespace muster {
namespace {

using testing::ElementsAre;

TEST(Shape, CountsItsElements) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 3}), 6);
  EXPECT_EQ(element_count({4, 0, std::numeric_limits<std::int64_t>::max(), 8}), 0);
}

TEST(Shape, FromOutsideMayBeNoShape) {
  EXPECT_FALSE(checked_element_count({2, -1}));
  EXPECT_FALSE(checked_element_count({0, -1}));
  EXPECT_FALSE(checked_element_count({std::int64_t{1} << 32, std::int64_t{1} << 31}));
  EXPECT_EQ(checked_element_count({std::int64_t{1} << 31, std::int64_t{1} << 31}),
            std::int64_t{1} << 62);
}

TEST(Shape, PrintsLikeATuple) {
  EXPECT_EQ(to_string(shape_vector{}), "()");
  EXPECT_EQ(to_string(shape_vector{4}), "(4,)");
  EXPECT_EQ(to_string(shape_vector{2, 3}), "(2, 3)");
}

TEST(Array, TakesItsValuesOverWithoutACopy) {
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  const auto* where = values.data();
  auto a = array::of(std::move(values), {2, 3});
  EXPECT_EQ(a.dtype, dtype::f32);
  EXPECT_EQ(a.elements<float>().data(), where);
  EXPECT_THAT(a.elements<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Array, OfValuesAloneHasOneDimension) {
  EXPECT_EQ(array::of(std::vector<int>{7, 8}).shape, shape_vector{2});
}

TEST(Array, OfRankZeroIsOneElement) {
  EXPECT_THAT(array::of(std::vector<double>{2.5}, {}).copy_elements<double>(), ElementsAre(2.5));
}

TEST(Array, WithoutElementsIsFine) {
  auto a = array::of(std::vector<float>{}, {0, 3});
  EXPECT_TRUE(a.elements<float>().empty());
  EXPECT_TRUE(a.aligned());
  EXPECT_TRUE(a.copy_elements<float>().empty());
}

TEST(Array, OfBooleansHasAByteForEach) {
  auto a = array::of(std::vector<bool>{true, false, true});
  EXPECT_EQ(a.data.size(), 3u);
  EXPECT_THAT(a.elements<bool>(), ElementsAre(true, false, true));
  EXPECT_THAT(a.copy_elements<bool>(), ElementsAre(true, false, true));
}

TEST(Array, SaysWhenItsBytesAreNotAlignedAndCopiesThemAnyway) {
  auto bytes = payload::adopt(std::vector<float>{0, 1.5f, 2.5f});
  array a{dtype::f32, {1}, bytes.part(2, 4)};
  EXPECT_FALSE(a.aligned());
  a.data = bytes.part(4, 4);
  EXPECT_TRUE(a.aligned());
  std::vector<std::byte> shifted(9);
  std::memcpy(shifted.data() + 1, bytes.data() + 4, 8);
  array moved{dtype::f32, {2}, payload::copy_of(shifted).part(1, 8)};
  EXPECT_THAT(moved.copy_elements<float>(), ElementsAre(1.5f, 2.5f));
}

TEST(Array, IsEqualBitByBit) {
  const double nan = std::nan("");
  EXPECT_EQ(array::of(std::vector{nan}), array::of(std::vector{nan}));
  EXPECT_NE(array::of(std::vector{0.0}), array::of(std::vector{-0.0}));
  EXPECT_NE(array::of(std::vector{1, 2}, {2, 1}), array::of(std::vector{1, 2}, {1, 2}));
  EXPECT_NE(array::of(std::vector<std::int32_t>{1}), array::of(std::vector<std::uint32_t>{1}));
}

TEST(Array, IsDenseWhenItsBytesFitItsShape) {
  EXPECT_TRUE(is_dense(array::of(std::vector<float>{1, 2})));
  EXPECT_FALSE(is_dense(array{dtype::f32, {2}, payload::copy_of("1234567")}));
  EXPECT_FALSE(is_dense(array{dtype::f32, {3}, payload::copy_of("12345678")}));
  EXPECT_FALSE(is_dense(array{dtype::f32, {-1}, {}}));
}

TEST(ArrayDeathTest, OfAnotherNumberOfValuesIsOurBug) {
  EXPECT_DEATH(array::of(std::vector<float>{1, 2}, {3}),
               "array of f32 and shape \\(3,\\) has 8 bytes");
}

TEST(ArrayDeathTest, UsedAsAnotherTypeIsOurBug) {
  EXPECT_DEATH((void)array::of(std::vector<float>{1}).elements<double>(),
               "array of f32 was used as f64");
}

TEST(ArrayDeathTest, ViewedInPlaceWhenUnalignedIsOurBug) {
  array a{dtype::f32, {1}, payload::adopt(std::vector<float>{0, 0}).part(1, 4)};
  EXPECT_DEATH((void)a.elements<float>(), "unaligned array of f32");
}

TEST(ArrayDeathTest, WithANegativeDimensionIsOurBug) {
  EXPECT_DEATH((void)element_count({2, -3}), "\\(2, -3\\)");
}

}  // namespace
}  // namespace muster
