#include <muster/examples/train_text/adamw.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace train_text {
namespace {

TEST(Adamw, WarmsUpAndThenFallsToItsFinalPart) {
  const adamw optimizer({.rate = 1.0F, .warm_up = 4, .final_part = 0.25F}, 1, 12);
  EXPECT_EQ(optimizer.rate_at(0), 0.25F);
  EXPECT_EQ(optimizer.rate_at(3), 1.0F);
  EXPECT_EQ(optimizer.rate_at(4), 1.0F);
  EXPECT_EQ(optimizer.rate_at(8), 0.625F);
  EXPECT_EQ(optimizer.rate_at(12), 0.25F);
  EXPECT_EQ(optimizer.rate_at(99), 0.25F);
}

TEST(Adamw, WarmUpDoesNotDependOnTheNumberOfSteps) {
  const adamw few({.warm_up = 100}, 1, 50);
  const adamw many({.warm_up = 100}, 1, 5'000);
  for (std::uint64_t step = 0; step < 100; ++step)
    EXPECT_EQ(few.rate_at(step), many.rate_at(step)) << step;
}

TEST(Adamw, TheFirstStepGoesOneRateAgainstTheSignOfTheGradient) {
  adamw optimizer({.rate = 0.5F, .warm_up = 0, .final_part = 1.0F, .weight_decay = 0.0F}, 3, 10);
  std::vector<float> p{1.0F, 1.0F, 1.0F};
  optimizer.apply(std::vector<float>{3.0F, -0.001F, 0.0F}, p);
  EXPECT_NEAR(p[0], 0.5F, 1e-6F);
  EXPECT_NEAR(p[1], 1.5F, 1e-4F);
  EXPECT_EQ(p[2], 1.0F);
}

TEST(Adamw, WeightDecayShrinksParametersBesideTheGradient) {
  adamw optimizer({.rate = 0.5F, .warm_up = 0, .final_part = 1.0F, .weight_decay = 0.5F}, 1, 10);
  std::vector<float> p{8.0F};
  optimizer.apply(std::vector<float>{0.0F}, p);
  EXPECT_EQ(p[0], 6.0F);
}

// By hand: m = 0.5 * 1 * 0.5 + 0.5 * 3 = 1.75, corrected by 1 - 0.25; v likewise 0.25 + 4.5 = 4.75.
TEST(Adamw, TheSecondStepUsesBothCorrectedMoments) {
  adamw optimizer({.rate = 1.0F,
                   .warm_up = 0,
                   .final_part = 1.0F,
                   .weight_decay = 0.0F,
                   .beta1 = 0.5F,
                   .beta2 = 0.5F,
                   .epsilon = 0.0F},
                  1, 10);
  std::vector<float> p{0.0F};
  optimizer.apply(std::vector<float>{1.0F}, p);
  EXPECT_EQ(p[0], -1.0F);
  optimizer.apply(std::vector<float>{3.0F}, p);
  EXPECT_NEAR(p[0], -1.0F - (1.75F / 0.75F) / std::sqrt(4.75F / 0.75F), 1e-6F);
}

}  // namespace
}  // namespace train_text
