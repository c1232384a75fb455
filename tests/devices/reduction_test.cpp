// Reductions on each back end: the published vectors, the edges of floating point, and what comes from peers.
#include <cfenv>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <muster/devices/order.hpp>
#include <muster/tests/devices/reduction_bench.hpp>

namespace muster {
namespace {

using test::bits_of;
using test::reduced;
using test::reduction_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr float infinity = std::numeric_limits<float>::infinity();

class Reduction : public ::testing::TestWithParam<const char*> {
 protected:
  float sum(std::vector<float> leaves) { return one(reduce_op::sum, std::move(leaves)); }
  float mean(std::vector<float> leaves) { return one(reduce_op::mean, std::move(leaves)); }
  float one(reduce_op op, std::vector<float> leaves) {
    test::leaf_values<float> values;
    for (float v : leaves) values.push_back({v});
    return reduced(*on_, op, values).at(0);
  }
  status refusal(const signature& said, std::vector<contribution> inputs, bool finish = true) {
    return start_fold(on_->get(), said, finish, inputs).why();
  }

  std::unique_ptr<test::device_under_test> on_ = test::make_device_under_test(GetParam(), 1 << 28);
  const signature said_ = reduction_of(reduce_op::sum, dtype::f32, 4, 1);
  const payload frame_ = payload::adopt(std::vector<float>{1});
};

// ---- published vectors

TEST_P(Reduction, AddsInPairsNotFromLeftToRight) {
  EXPECT_EQ(sum({1e8f, 1, -1e8f, 1}), 0.f);
  EXPECT_EQ(sum({1e8f, -1e8f, 1, 1}), 2.f);
}

TEST_P(Reduction, AddsEveryElementInTheSameOrder) {
  const test::leaf_values<float> values{std::vector(1000, 1e8f), std::vector(1000, 1.f),
                                        std::vector(1000, -1e8f), std::vector(1000, 1.f)};
  EXPECT_EQ(reduced(*on_, reduce_op::sum, values), std::vector<float>(1000, 0.f));
}

TEST_P(Reduction, GivesTheKnownBitsForTenthsInEightLeaves) {
  EXPECT_EQ(bits_of(sum({.1f, .2f, .3f, .4f, .5f, .6f, .7f, .8f})), 0x4066'6666u);
}

TEST_P(Reduction, StopsCountingAtTwoToThe24InF32) {
  EXPECT_EQ(sum({16'777'216.f, 1.f}), 16'777'216.f);
  EXPECT_EQ(sum(std::vector<float>(512, 1.f)), 512.f);
  EXPECT_EQ(sum({256, 1, 1, 1, 1, 1, 1, 1}), 263.f);
}

TEST_P(Reduction, SumsF64InF64) {
  const test::leaf_values<double> values{{16'777'216., 1e16}, {1., 1.}, {1e-3, 1.}};
  EXPECT_EQ(bits_of(reduced(*on_, reduce_op::sum, values)),
            bits_of(std::vector{16'777'217.001, 1e16 + 1.0 + 1.0}));
}

TEST_P(Reduction, DividesAMeanOnceAtTheEnd) {
  constexpr float third = 1.f / 3.f;
  ASSERT_NE(bits_of(10.f / 3.f), bits_of(10.f * third)) << "the vector tells both ways apart";
  EXPECT_EQ(bits_of(mean({2, 3, 5})), bits_of(10.f / 3.f));
  EXPECT_EQ(mean({std::numeric_limits<float>::max(), std::numeric_limits<float>::max()}), infinity);
}

// ---- the edges of floating point

TEST_P(Reduction, MakesEveryNanTheCanonicalOne) {
  const float payload_nan = std::bit_cast<float>(0xffc1'2345u);
  const float signalling = std::bit_cast<float>(0x7f80'0001u);
  for (float nan : {payload_nan, signalling}) {
    EXPECT_EQ(bits_of(sum({nan})), 0x7fc0'0000u);
    EXPECT_EQ(bits_of(mean({nan})), 0x7fc0'0000u);
    EXPECT_EQ(bits_of(sum({1, nan, 2})), 0x7fc0'0000u);
  }
  EXPECT_EQ(bits_of(sum({infinity, -infinity})), 0x7fc0'0000u);
}

TEST_P(Reduction, MakesEveryNanOfF64TheCanonicalOne) {
  const test::leaf_values<double> one{{std::bit_cast<double>(0xfff8'0000'0000'0001u)}};
  EXPECT_THAT(bits_of(reduced(*on_, reduce_op::sum, one)), ElementsAre(0x7ff8'0000'0000'0000u));
}

TEST_P(Reduction, KeepsSignedZerosAndInfinities) {
  EXPECT_EQ(bits_of(sum({-0.f})), bits_of(-0.f));
  EXPECT_EQ(bits_of(mean({-0.f, -0.f, -0.f})), bits_of(-0.f));
  EXPECT_EQ(bits_of(sum({-0.f, 0.f})), bits_of(0.f));
  EXPECT_EQ(sum({1, -infinity, 3}), -infinity);
}

TEST_P(Reduction, FlushesNoSubnormals) {
  constexpr float least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(bits_of(sum({least, least})), 2u);
  EXPECT_EQ(bits_of(sum({least})), 1u);
  EXPECT_EQ(bits_of(mean({least, least, least, 3 * least})), 2u);  // 6/4: a tie, to even
}

TEST_P(Reduction, DoesNotDependOnTheModeThatAKernelOrAThreadLeaves) {
  const order::floating_point_scope puts_back;
  const auto spoil = [] {
    std::fesetround(FE_UPWARD);
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() | 0x8040);  // FTZ and DAZ
#endif
  };
  ASSERT_TRUE(on_->get().launch("spoil", spoil).ok());
  spoil();
  EXPECT_EQ(sum({16'777'216.f, 1.f}), 16'777'216.f);
  EXPECT_EQ(bits_of(sum({std::numeric_limits<float>::denorm_min(), 0.f})), 1u);
  EXPECT_EQ(std::fegetround(), FE_UPWARD) << "and this thread keeps its own";
}

TEST_P(Reduction, WorksAtEverySizeAroundATile) {
  for (std::size_t n : {1u, 2u, 3u, 4u, 7u, 511u, 512u, 513u, 1024u, 1025u, 60'000u}) {
    test::leaf_values<float> values(5, std::vector<float>(n));
    float v = 0.37f;
    for (auto& leaf : values)
      for (auto& e : leaf) e = v = v * 3.7f * (1 - v);
    EXPECT_EQ(bits_of(reduced(*on_, reduce_op::mean, values)),
              bits_of(test::expected(reduce_op::mean, values)))
        << n;
  }
}

// ---- shapes, covers, counts

TEST_P(Reduction, ReducesArraysWithoutElementsWithoutALaunch) {
  const test::leaf_values<float> values(3);
  EXPECT_THAT(reduced(*on_, reduce_op::mean, values), IsEmpty());
  EXPECT_EQ(on_->get().counters().launches, 0u);
}

TEST_P(Reduction, PassesOnWhatMeetsNoOtherWithoutCopying) {
  const std::vector<contribution> inputs{{{{0, 1}}, {frame_}}, {{{2, 3}}, {frame_}}};
  const auto both = test::settled(*on_, start_fold(on_->get(), said_, false, inputs));
  EXPECT_THAT(both.parts, ElementsAre(subtree{0, 1}, subtree{2, 3}));
  ASSERT_EQ(both.frames.size(), 2u);
  EXPECT_EQ(both.frames[0].data(), frame_.data());
  EXPECT_EQ(on_->get().counters().launches, 0u);
}

TEST_P(Reduction, FoldsACoverAsFarAsTheOrderAllows) {
  const test::leaf_values<float> values{{1}, {2}, {4}, {8}, {16}};
  const auto said = reduction_of(reduce_op::sum, dtype::f32, 5, 1);
  const std::vector<std::uint64_t> mine{4, 0, 3, 2};
  const auto cover = test::cover_of(*on_, said, values, mine);
  EXPECT_THAT(cover.parts, ElementsAre(subtree{0, 1}, subtree{2, 4}, subtree{4, 5}));
  ASSERT_EQ(cover.frames.size(), 3u);
  EXPECT_EQ(cover.frames[1], payload::adopt(std::vector<float>{12}));
}

TEST_P(Reduction, ReadsPartialsAtAnyAddress) {
  std::string bytes(1, '?');
  const float value = 5;
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  const auto odd = payload::copy_of(std::string_view(bytes)).part(1, 4);
  const auto said = reduction_of(reduce_op::mean, dtype::f32, 2, 1);
  const std::vector<contribution> inputs{{{{1, 2}}, {odd}}, {{{0, 1}}, {frame_}}};
  EXPECT_EQ(test::settled(*on_, start_fold(on_->get(), said, true, inputs)).frames.at(0),
            payload::adopt(std::vector<float>{3}));
}

TEST_P(Reduction, GivesNothingForADeviceWithoutLeaves) {
  EXPECT_EQ(test::cover_of<float>(*on_, said_, {}, {}), contribution{});
}

TEST_P(Reduction, CountsTheBytesThatItReads) {
  (void)reduced(*on_, reduce_op::sum, test::leaf_values<float>(4, std::vector<float>(100)));
  EXPECT_EQ(on_->get().counters().bytes_reduced, 4u * 400u + 400u);  // the cover, then finishing it
  EXPECT_EQ(on_->get().counters().launches, 2u);
}

// ---- what comes from outside

TEST_P(Reduction, RefusesWhatItCantReduce) {
  auto integers = said_, nobody = said_, shapeless = said_, huge = said_, barrier = said_;
  integers.dtype = dtype::i32;
  integers.reduce = reduce_op::mean;
  nobody.leaf_count = 0;
  shapeless.shape = {2, -1};
  huge.shape = {1 << 30, 1 << 30, 1 << 30};
  barrier.kind = op_kind::barrier;
  for (const auto& said : {integers, nobody, shapeless, huge, barrier}) {
    EXPECT_EQ(refusal(said, {}).code, status_code::invalid_argument);
  }
  EXPECT_THAT(refusal(integers, {}).text, HasSubstr("i32"));
  EXPECT_THAT(refusal(shapeless, {}).text, HasSubstr("(2, -1)"));
}

TEST_P(Reduction, RefusesPartialsThatDoNotFit) {
  const auto two = payload::adopt(std::vector<float>{1, 2});
  EXPECT_THAT(refusal(said_, {{{{0, 4}}, {two}}}).text,
              HasSubstr("[0, 4) has 8 bytes, the array has 4"));
  EXPECT_THAT(refusal(said_, {{{{0, 4}}, {}}}).text, HasSubstr("1 parts come with 0 frames"));
  EXPECT_THAT(refusal(said_, {{{{0, 2}}, {frame_}}}).text, HasSubstr("nobody gives leaves [2, 4)"));
  EXPECT_EQ(refusal(said_, {{{{1, 3}}, {frame_}}}).code, status_code::invalid_argument);
  EXPECT_EQ(refusal(said_, {{{{0, 4}}, {frame_}}, {{{2, 3}}, {frame_}}}).code,
            status_code::invalid_argument);
  EXPECT_EQ(refusal(said_, {}).code, status_code::invalid_argument);
  EXPECT_TRUE(on_->get().failure().ok());
}

TEST_P(Reduction, RefusesLeavesThatAreNotAsSaid) {
  const auto why = [&](std::uint64_t leaf, array values) {
    const std::vector<std::pair<std::uint64_t, array>> leaves{{leaf, std::move(values)},
                                                              {1, array::of<float>({1})}};
    return start_cover(on_->get(), said_, leaves).why().text;
  };
  EXPECT_THAT(why(4, array::of<float>({1})), HasSubstr("leaf 4 of 4"));
  EXPECT_THAT(why(0, array::of<double>({1})), HasSubstr("leaf 0 is f64(1,), said was f32(1,)"));
  EXPECT_THAT(why(0, array::of<float>({1}, {1, 1})), HasSubstr("f32(1, 1)"));
  EXPECT_FALSE(why(1, array::of<float>({1})).empty());
}

TEST_P(Reduction, SaysWhenTheDeviceHasNoMemory) {
  const auto small = test::make_device_under_test(GetParam(), 100);
  const auto said = reduction_of(reduce_op::sum, dtype::f32, 1, 1000);
  const std::vector<contribution> one{{{{0, 1}}, {payload::adopt(std::vector<float>(1000))}}};
  EXPECT_EQ(start_fold(small->get(), said, true, one).why().code, status_code::resource_exhausted);
  EXPECT_TRUE(small->get().failure().ok());
}

TEST_P(Reduction, OfAFailedDeviceFailsAsTheDeviceDid) {
  ASSERT_TRUE(on_->get().launch("bad", [] { throw std::runtime_error("lost"); }).ok());
  EXPECT_EQ(on_->settle_all(), event_progress::failed);
  const std::vector<contribution> one{{{{0, 4}}, {frame_}}};
  EXPECT_EQ(start_fold(on_->get(), said_, true, one).why(), on_->get().failure());
}

INSTANTIATE_TEST_SUITE_P(Devices, Reduction, ::testing::Values("cpu", "simulated"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace muster
