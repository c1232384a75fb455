// Every type with every reduction that it has: random leaves on random devices, folded in a random order, against a
// second opinion that knows neither order.hpp nor leaves.hpp; and the edges of each.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <muster/messages/values/half.hpp>
#include <muster/tests/devices/reduction_bench.hpp>

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

__extension__ using wide_unsigned = unsigned __int128;

constexpr reduce_op all_ops[] = {reduce_op::sum,    reduce_op::mean,   reduce_op::prod,
                                 reduce_op::min,    reduce_op::max,    reduce_op::bit_and,
                                 reduce_op::bit_or, reduce_op::argmax, reduce_op::norm};

template <class T>
auto widened(T v) {
  if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>)
    return to_float(v);
  else if constexpr (std::is_same_v<T, bool>)
    return static_cast<std::uint8_t>(v);
  else
    return v;
}

template <class T, class W>
T narrowed(W v) {
  if constexpr (std::is_same_v<T, float16>)
    return to_float16(v);
  else if constexpr (std::is_same_v<T, bfloat16>)
    return to_bfloat16(v);
  else if constexpr (std::is_floating_point_v<T>)
    return std::isnan(v) ? std::numeric_limits<T>::quiet_NaN() : v;
  else
    return static_cast<T>(v);
}

template <class W>
W smaller_of(W a, W b) {
  if constexpr (std::is_floating_point_v<W>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<W>::quiet_NaN();
    if (a == b) return std::signbit(a) ? a : b;
  }
  return std::min(a, b);
}

template <class W>
W larger_of(W a, W b) {
  if constexpr (std::is_floating_point_v<W>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<W>::quiet_NaN();
    if (a == b) return std::signbit(a) ? b : a;
  }
  return std::max(a, b);
}

template <class W>
W combined(reduce_op op, W a, W b) {
  if (op == reduce_op::min) return smaller_of(a, b);
  if (op == reduce_op::max) return larger_of(a, b);
  if constexpr (std::is_floating_point_v<W>) {
    return op == reduce_op::prod ? a * b : a + b;
  } else {
    const auto x = static_cast<wide_unsigned>(a), y = static_cast<wide_unsigned>(b);
    if (op == reduce_op::bit_and) return static_cast<W>(x & y);
    if (op == reduce_op::bit_or) return static_cast<W>(x | y);
    return static_cast<W>(op == reduce_op::prod ? x * y : x + y);
  }
}

template <class T>
auto column(reduce_op op, const test::leaf_values<T>& values, std::size_t c, std::size_t first,
            std::size_t last) {
  if (last - first == 1) {
    const auto v = widened(static_cast<T>(values[first][c]));
    if constexpr (std::is_floating_point_v<decltype(widened(T{}))>)
      if (op == reduce_op::norm) return v * v;
    return v;
  }
  const auto middle = first + std::bit_floor(last - first - 1);
  return combined(op, column(op, values, c, first, middle), column(op, values, c, middle, last));
}

/// From the first leaf to the last, so in no tree at all.
template <class T>
std::int64_t leaf_of_largest(const test::leaf_values<T>& values, std::size_t c) {
  std::size_t best = 0;
  for (std::size_t leaf = 1; leaf < values.size(); ++leaf) {
    const auto old = widened(static_cast<T>(values[best][c]));
    const auto now = widened(static_cast<T>(values[leaf][c]));
    if constexpr (std::is_floating_point_v<decltype(widened(T{}))>) {
      if (std::isnan(old)) break;
      if (std::isnan(now) || (old == now && std::signbit(old) && !std::signbit(now))) best = leaf;
    }
    if (now > old) best = leaf;
  }
  return static_cast<std::int64_t>(best);
}

template <class T>
array expected(reduce_op op, const test::leaf_values<T>& values) {
  if (op == reduce_op::argmax) {
    std::vector<std::int64_t> leaves(values[0].size());
    for (std::size_t c = 0; c < leaves.size(); ++c) leaves[c] = leaf_of_largest(values, c);
    return array::of(leaves);
  }
  std::vector<T> out(values[0].size());
  for (std::size_t c = 0; c < out.size(); ++c) {
    auto whole = column(op, values, c, 0, values.size());
    if (op == reduce_op::mean)
      whole = static_cast<decltype(whole)>(whole / static_cast<decltype(whole)>(values.size()));
    if constexpr (std::is_floating_point_v<decltype(whole)>)
      if (op == reduce_op::norm) whole = std::sqrt(whole);
    out[c] = narrowed<T>(whole);
  }
  return array::of(out);
}

/// Any bits at all; half of the floating-point numbers are small ones that don't drown.
template <class T>
T any_number(std::mt19937_64& chance) {
  const auto bits = chance();
  if constexpr (std::is_same_v<T, bool>) {
    return bits % 2 == 1;
  } else {
    T out;
    std::memcpy(static_cast<void*>(&out), &bits, sizeof out);
    if (chance() % 2) return out;
    return narrowed<T>(static_cast<decltype(widened(out))>(static_cast<int>(chance() % 9) - 4));
  }
}

contribution folded_at_random(std::mt19937_64& chance, test::device_under_test& on,
                              const signature& said, std::vector<contribution> bag) {
  while (bag.size() > 1) {
    std::shuffle(bag.begin(), bag.end(), chance);
    const std::vector<contribution> two(bag.end() - 2, bag.end());
    bag.resize(bag.size() - 2);
    bag.push_back(test::settled(on, start_fold(on.get(), said, false, two)));
  }
  return test::settled(on, start_fold(on.get(), said, true, bag));
}

template <class T>
void bits_depend_on_leaves_alone(std::uint64_t seed) {
  std::mt19937_64 chance(seed);
  test::cpu_under_test on;
  test::leaf_values<T> values(1 + chance() % 20);
  const auto elements = chance() % 8 == 0 ? 600 : chance() % 9;
  for (auto& leaf : values)
    for (std::size_t i = 0; i < elements; ++i) leaf.push_back(any_number<T>(chance));
  for (auto op : all_ops) {
    if (!reduces(op, dtype_of<T>)) continue;
    const auto said =
        test::reduction_of(op, dtype_of<T>, values.size(), static_cast<std::int64_t>(elements));
    std::vector<std::vector<std::uint64_t>> devices(1 + chance() % 5);
    for (std::uint64_t leaf = 0; leaf < values.size(); ++leaf)
      devices[chance() % devices.size()].push_back(leaf);
    std::vector<contribution> covers;
    for (auto& leaves : devices) covers.push_back(test::cover_of(on, said, values, leaves));
    const auto whole = folded_at_random(chance, on, said, std::move(covers));
    RC_ASSERT(whole.frames.size() == 1u);
    const array got{result_dtype(op, dtype_of<T>), said.shape, whole.frames[0]};
    if (got != expected(op, values))
      RC_FAIL(std::string(to_string(op)) + " of " + std::string(to_string(dtype_of<T>)));
  }
}

RC_GTEST_PROP(EveryReduction, HasTheSameBitsWhereverLeavesAreInF16, (std::uint64_t s)) {
  bits_depend_on_leaves_alone<float16>(s);
}
RC_GTEST_PROP(EveryReduction, HasTheSameBitsWhereverLeavesAreInBf16, (std::uint64_t s)) {
  bits_depend_on_leaves_alone<bfloat16>(s);
}
RC_GTEST_PROP(EveryReduction, HasTheSameBitsWhereverLeavesAreInF32, (std::uint64_t s)) {
  bits_depend_on_leaves_alone<float>(s);
}
RC_GTEST_PROP(EveryReduction, HasTheSameBitsWhereverLeavesAreInF64, (std::uint64_t s)) {
  bits_depend_on_leaves_alone<double>(s);
}
RC_GTEST_PROP(EveryReduction, HasTheSameBitsWhereverLeavesAreInI8, (std::uint64_t s)) {
  bits_depend_on_leaves_alone<std::int8_t>(s);
}
RC_GTEST_PROP(EveryReduction, HasTheSameBitsWhereverLeavesAreInI16, (std::uint64_t s)) {
  bits_depend_on_leaves_alone<std::int16_t>(s);
}
RC_GTEST_PROP(EveryReduction, HasTheSameBitsWhereverLeavesAreInI32, (std::uint64_t s)) {
  bits_depend_on_leaves_alone<std::int32_t>(s);
}
RC_GTEST_PROP(EveryReduction, HasTheSameBitsWhereverLeavesAreInI64, (std::uint64_t s)) {
  bits_depend_on_leaves_alone<std::int64_t>(s);
}
RC_GTEST_PROP(EveryReduction, HasTheSameBitsWhereverLeavesAreInU8, (std::uint64_t s)) {
  bits_depend_on_leaves_alone<std::uint8_t>(s);
}
RC_GTEST_PROP(EveryReduction, HasTheSameBitsWhereverLeavesAreInU16, (std::uint64_t s)) {
  bits_depend_on_leaves_alone<std::uint16_t>(s);
}
RC_GTEST_PROP(EveryReduction, HasTheSameBitsWhereverLeavesAreInU32, (std::uint64_t s)) {
  bits_depend_on_leaves_alone<std::uint32_t>(s);
}
RC_GTEST_PROP(EveryReduction, HasTheSameBitsWhereverLeavesAreInU64, (std::uint64_t s)) {
  bits_depend_on_leaves_alone<std::uint64_t>(s);
}
RC_GTEST_PROP(EveryReduction, HasTheSameBitsWhereverLeavesAreInBool, (std::uint64_t s)) {
  bits_depend_on_leaves_alone<bool>(s);
}

// ---- edges

template <class T>
T one(reduce_op op, std::vector<T> leaves) {
  test::cpu_under_test on;
  test::leaf_values<T> values;
  for (T v : leaves) values.push_back({v});
  return test::reduced(on, op, values).at(0);
}

template <class T>
std::int64_t argmax(std::vector<T> leaves) {
  test::cpu_under_test on;
  test::leaf_values<T> values;
  for (T v : leaves) values.push_back({v});
  return test::reduced<T, std::int64_t>(on, reduce_op::argmax, values).at(0);
}

bfloat16 bf16(float v) { return to_bfloat16(v); }

TEST(SumInBf16, AccumulatesInF32AndRoundsOnce) {
  std::vector<bfloat16> leaves{bf16(256)};
  leaves.insert(leaves.end(), 7, bf16(1));
  EXPECT_EQ(one(reduce_op::sum, leaves), bf16(264));  // in bf16 it stays 256
  EXPECT_EQ(one(reduce_op::sum, std::vector(512, bf16(1))), bf16(512));
}

TEST(SumInBf16, OfSeventyThousandOnesIsNotLost) {
  EXPECT_EQ(one(reduce_op::sum, std::vector(70'000, bf16(1))), bf16(70'000));
}

TEST(MeanInF16, DoesNotOverflowOnTheWay) {
  EXPECT_EQ(one(reduce_op::mean, std::vector(4, to_float16(60'000))), to_float16(60'000));
  EXPECT_EQ(one(reduce_op::sum, std::vector(4, to_float16(60'000))).bits, 0x7c00);
}

TEST(Sum, OfTenthsIsThatOfPairs) {
  std::vector<float> leaves;
  for (int i = 1; i <= 8; ++i) leaves.push_back(static_cast<float>(i) / 10);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(one(reduce_op::sum, leaves)), 0x4066'6666u);
}

TEST(SumOfIntegers, WrapsInItsWidth) {
  EXPECT_EQ(one<std::int8_t>(reduce_op::sum, {127, 1}), -128);
  EXPECT_EQ(one<std::uint8_t>(reduce_op::sum, {255, 2}), 1);
  EXPECT_EQ(one<std::int64_t>(reduce_op::sum, {INT64_MAX, 1}), INT64_MIN);
  EXPECT_EQ(one<std::int64_t>(reduce_op::prod, {INT64_MIN, -1}), INT64_MIN);
  EXPECT_EQ(one<std::int16_t>(reduce_op::prod, {-300, 300}), static_cast<std::int16_t>(-90'000));
}

TEST(SmallestAndLargest, OrderSignedZerosAndTakeANaN) {
  const float nan = std::bit_cast<float>(0xffc1'2345u);
  for (auto leaves : {std::vector{0.f, -0.f}, std::vector{-0.f, 0.f}}) {
    EXPECT_TRUE(std::signbit(one(reduce_op::min, leaves)));
    EXPECT_FALSE(std::signbit(one(reduce_op::max, leaves)));
  }
  for (auto op : {reduce_op::min, reduce_op::max})
    for (auto leaves : {std::vector{1.f, nan}, std::vector{nan, 1.f}, std::vector{nan}})
      EXPECT_EQ(std::bit_cast<std::uint32_t>(one(op, leaves)), 0x7fc0'0000u);
}

TEST(Argmax, IsTheLowestOfTheLeavesWithTheLargestValue) {
  EXPECT_EQ(argmax<std::int8_t>({-3, 7, 7, 5, 7}), 1);
  EXPECT_EQ(argmax<float>({-1, -1, -1, -1}), 0);
  EXPECT_EQ(argmax<double>({1e300}), 0);
  EXPECT_EQ(argmax<bool>({false, false, true, true}), 2);
  EXPECT_EQ(argmax<bool>({false, false}), 0);
  EXPECT_EQ(argmax<std::uint64_t>({1, ~std::uint64_t{0}, 2}), 1);
  EXPECT_EQ(argmax<std::int64_t>({INT64_MIN, -1, INT64_MIN}), 1);
  EXPECT_EQ(argmax(std::vector{bf16(1), bf16(3), bf16(3)}), 1);
}

TEST(Argmax, OrdersSignedZerosAndTakesTheFirstNaN) {
  const float nan = std::bit_cast<float>(0xffc1'2345u),
              inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(argmax<float>({-0.f, -0.f, 0.f, 0.f}), 2);
  EXPECT_EQ(argmax<float>({0.f, -0.f}), 0);
  EXPECT_EQ(argmax<float>({1, inf, nan, inf, nan}), 2);
  EXPECT_EQ(argmax<float>({nan, -nan, inf}), 0);
  EXPECT_EQ(argmax<float>({-inf, -inf}), 0);
}

TEST(Argmax, IsOfLeavesInTheBatchNotOfThoseOnTheDevice) {
  test::cpu_under_test on;
  const auto said = test::reduction_of(reduce_op::argmax, dtype::f32, 4, 2);
  const test::leaf_values<float> values{{0, 5}, {1, 4}, {2, 3}, {3, 6}};
  const std::uint64_t odd[] = {1, 3}, even[] = {0, 2};
  const std::vector covers{test::cover_of(on, said, values, odd),
                           test::cover_of(on, said, values, even)};
  const auto whole = test::settled(on, start_fold(on.get(), said, true, covers));
  EXPECT_EQ(whole.frames.at(0), payload::adopt(std::vector<std::int64_t>{3, 3}));
}

TEST(Norm, IsOneRootOfTheSumOfSquares) {
  EXPECT_EQ(one<float>(reduce_op::norm, {3, 4}), 5);
  EXPECT_EQ(one<double>(reduce_op::norm, {-7}), 7);
  EXPECT_EQ(one<float>(reduce_op::norm, std::vector(4, 0.1f)), std::sqrt(4 * (0.1f * 0.1f)));
  EXPECT_EQ(std::bit_cast<std::uint32_t>(one<float>(reduce_op::norm, {-0.f})), 0u);
}

TEST(Norm, SquaresInTheAccumulationType) {
  EXPECT_EQ(one(reduce_op::norm, std::vector{to_float16(300), to_float16(400)}), to_float16(500));
  EXPECT_EQ(one<float>(reduce_op::norm, {1e30f}), std::numeric_limits<float>::infinity());
  EXPECT_EQ(one<float>(reduce_op::norm, {1e-30f}), 0);
  const float nan = std::bit_cast<float>(0xffc1'2345u);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(one<float>(reduce_op::norm, {1, nan})), 0x7fc0'0000u);
}

TEST(BoolReductions, AreAllAndAny) {
  EXPECT_FALSE(one<bool>(reduce_op::bit_and, {true, false, true}));
  EXPECT_TRUE(one<bool>(reduce_op::bit_or, {false, false, true}));
  EXPECT_TRUE(one<bool>(reduce_op::bit_and, {true, true}));
}

TEST(Reductions, RefuseATypeThatTheyAreNotOf) {
  const auto why = [](reduce_op op, dtype type) {
    return check_reduction(test::reduction_of(op, type, 1, 1)).text;
  };
  EXPECT_EQ(why(reduce_op::mean, dtype::i32),
            "reduction: the arrays are i32, and mean is of floating-point numbers");
  EXPECT_THAT(why(reduce_op::sum, dtype::boolean),
              HasSubstr("the arrays are bool, and sum is of numbers"));
  EXPECT_THAT(why(reduce_op::bit_or, dtype::bf16), HasSubstr("bit_or is of integers or bool"));
  EXPECT_THAT(why(reduce_op::norm, dtype::u8), HasSubstr("norm is of floating-point numbers"));
  EXPECT_EQ(why(reduce_op::max, dtype::boolean), "");
  EXPECT_EQ(why(reduce_op::argmax, dtype::boolean), "");
}

TEST(Argmax, HasNoMoreLeavesThanI64CanNumber) {
  const auto most = static_cast<std::uint64_t>(INT64_MAX);
  const auto why = [](std::uint64_t leaves) {
    return check_reduction(test::reduction_of(reduce_op::argmax, dtype::u8, leaves, 1)).text;
  };
  EXPECT_EQ(why(most), "");
  EXPECT_THAT(why(most + 1), HasSubstr("leaf_count is 9223372036854775808"));
}

TEST(PartialsOf16BitTypes, TravelInF32) {
  test::cpu_under_test on;
  const auto said = test::reduction_of(reduce_op::sum, dtype::bf16, 4, 3);
  const test::leaf_values<bfloat16> values(4, std::vector(3, bf16(1)));
  const std::uint64_t single[] = {2};
  EXPECT_EQ(test::cover_of(on, said, values, single).frames.at(0).size(), 3 * sizeof(float));
}

TEST(PartialsOfAnArgmax, AreTheValuesThenZerosThenTheNumbers) {
  test::cpu_under_test on;
  const auto said = test::reduction_of(reduce_op::argmax, dtype::u8, 8, 3);
  const test::leaf_values<std::uint8_t> values(8, {9, 8, 7});
  for (const std::vector<std::uint64_t>& leaves : {std::vector<std::uint64_t>{6}, {6, 7}}) {
    const auto cover = test::cover_of(on, said, values, leaves);
    ASSERT_EQ(cover.frames.size(), 1u);
    std::vector<std::uint8_t> bytes{9, 8, 7, 0, 0, 0, 0, 0};
    for (int i = 0; i < 3; ++i) bytes.insert(bytes.end(), {6, 0, 0, 0, 0, 0, 0, 0});
    EXPECT_EQ(cover.frames[0], payload::adopt(bytes));
  }
}

TEST(PartialsOfAnArgmax, OfAnotherSizeAreRefused) {
  test::cpu_under_test on;
  const auto said = test::reduction_of(reduce_op::argmax, dtype::u8, 2, 3);
  const auto bare = payload::adopt(std::vector<std::uint8_t>(3));
  const std::vector<contribution> inputs{{{{0, 2}}, {bare}}};
  EXPECT_THAT(start_fold(on.get(), said, true, inputs).why().text,
              HasSubstr("has 3 bytes, the array has 32"));
}

TEST(PartialsOfANorm, AreSquaresAlsoOfALoneLeaf) {
  test::cpu_under_test on;
  const auto said = test::reduction_of(reduce_op::norm, dtype::f32, 4, 1);
  const test::leaf_values<float> values{{3}, {4}, {12}, {1}};
  const std::uint64_t leaves[] = {2, 0, 1};
  const auto cover = test::cover_of(on, said, values, leaves);
  EXPECT_THAT(cover.frames, ElementsAre(payload::adopt(std::vector<float>{25}),
                                        payload::adopt(std::vector<float>{144})));
}

}  // namespace
}  // namespace muster
