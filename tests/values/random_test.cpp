#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/random.hpp>

namespace muster {
namespace {

TEST(RandomSource, GivesThePublishedSequenceOfItsSeed) {
  random_source numbers(1234567);
  EXPECT_EQ(numbers.next(), 6'457'827'717'110'365'317u);
  EXPECT_EQ(numbers.next(), 3'203'168'211'198'807'973u);
  EXPECT_EQ(numbers.next(), 9'817'491'932'198'370'423u);
}

TEST(RandomSource, StaysInItsBoundsAndReachesThem) {
  random_source numbers(1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(numbers.between(3, 5));
  EXPECT_THAT(seen, testing::ElementsAre(3u, 4u, 5u));
  EXPECT_EQ(numbers.below(0), 0u);
  EXPECT_EQ(numbers.below(1), 0u);
  EXPECT_GT(numbers.between(0, UINT64_MAX) + numbers.between(0, UINT64_MAX), 0u);
}

TEST(RandomSource, TakesNoChanceAndEveryChance) {
  random_source numbers(1);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(numbers.chance(0));
    EXPECT_TRUE(numbers.chance(1));
  }
}

}  // namespace
}  // namespace muster
