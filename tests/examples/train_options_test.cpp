#include <muster/examples/train_text/train_options.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace train_text {
namespace {

using testing::HasSubstr;

std::string why(const train_options& o, std::uint32_t devices = 8) {
  const muster::status s = check(o, devices);
  EXPECT_EQ(s.code, muster::status_code::invalid_argument);
  return s.text;
}

TEST(TrainOptions, OfTheDefaultFitEightDevices) { EXPECT_TRUE(check({}, 8).ok()); }

TEST(TrainOptions, StepsAreBounded) {
  EXPECT_EQ(why({.steps = 0}), "--steps is 0: must be 1 to 1000000");
  EXPECT_THAT(why({.steps = steps_max + 1}), HasSubstr("--steps is 1000001"));
  EXPECT_TRUE(check({.steps = steps_max}, 8).ok());
}

TEST(TrainOptions, MicroBatchesAreOfOneSize) {
  EXPECT_EQ(why({.leaves = 24}), "--leaves is 24: must divide the 64 samples of a step");
  EXPECT_THAT(why({.leaves = 0}), HasSubstr("--leaves is 0"));
  EXPECT_TRUE(check({.leaves = 64}, 64).ok());
}

TEST(TrainOptions, EveryDeviceHasALeaf) {
  EXPECT_EQ(why({.leaves = 16}, 17),
            "--leaves is 16: must be at least 1 for each of the 17 devices");
}

TEST(TrainOptions, AnExpectedDigestIsOneAndItsStepIsReached) {
  const std::string digest(32, 'a');
  EXPECT_TRUE(check({.steps = 50, .expect_digest = digest}, 8).ok());
  EXPECT_THAT(why({.expect_digest = "abc"}), HasSubstr("must be 32 hexadecimal digits"));
  EXPECT_THAT(why({.steps = 49, .expect_digest = digest}), HasSubstr("step 50, but --steps is 49"));
  EXPECT_THAT(why({.digest_at = 0}), HasSubstr("--digest-at is 0"));
}

TEST(TrainOptions, ARunThatEndsAtTheDigestIsNotJudged) {
  EXPECT_TRUE((train_options{.steps = 50, .digest_at = 50}.for_digest_only()));
  EXPECT_FALSE((train_options{.steps = 51, .digest_at = 50}.for_digest_only()));
}

}  // namespace
}  // namespace train_text
