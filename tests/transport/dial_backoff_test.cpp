#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/transport/dial_backoff.hpp>

namespace muster {
namespace {

using testing::AllOf;
using testing::Gt;
using testing::Le;

// The longest pause for each number of attempts, halved at most.
TEST(DialBackoff, DoublesFromTheFirstPauseToTheLongest) {
  random_source random{1};
  duration longest = limits::dial_backoff_min;
  for (std::uint32_t attempts = 0; attempts < 20; ++attempts) {
    EXPECT_THAT(dial_backoff(attempts, random), AllOf(Gt(longest / 2 - duration{1}), Le(longest)))
        << attempts;
    longest = std::min(longest * 2, limits::dial_backoff_max);
  }
}

TEST(DialBackoff, StaysAtTheLongestPauseForEver) {
  random_source random{2};
  EXPECT_THAT(dial_backoff(~std::uint32_t{0}, random),
              AllOf(Gt(limits::dial_backoff_max / 2 - duration{1}), Le(limits::dial_backoff_max)));
}

TEST(DialBackoff, KeepsTwoHostsOutOfStep) {
  random_source a{1}, b{2};
  EXPECT_NE(dial_backoff(9, a), dial_backoff(9, b));
}

TEST(DialBackoff, IsTheSameForTheSameSeed) {
  random_source a{3}, b{3};
  for (std::uint32_t attempts = 0; attempts < 9; ++attempts)
    EXPECT_EQ(dial_backoff(attempts, a), dial_backoff(attempts, b));
}

}  // namespace
}  // namespace muster
