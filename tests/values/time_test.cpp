#include <gtest/gtest.h>

#include <muster/messages/values/time.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST(Time, AddsADurationToAnInstant) { EXPECT_EQ(after(time_point{5s}, 2s), time_point{7s}); }

TEST(Time, OfForeverDoesNotWrapAround) {
  EXPECT_EQ(after(time_point{1ns}, duration::max()), never);
  EXPECT_EQ(after(never, 1s), never);
}

TEST(Time, ReachesTheLastInstantThatCanBeSaid) { EXPECT_EQ(after(never - 1s, 1s), never); }

TEST(Time, GoesBackByANegativeDuration) { EXPECT_EQ(after(time_point{5s}, -2s), time_point{3s}); }

}  // namespace
}  // namespace muster
