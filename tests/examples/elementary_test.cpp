#include <muster/examples/train_text/elementary.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace train_text {
namespace {

TEST(Exp, IsThatOfTheCLibraryToALastPlace) {
  for (int i = 0; i <= 86'000; ++i) {
    const float x = -static_cast<float>(i) / 1000.0F;
    const double wanted = std::exp(static_cast<double>(x));
    ASSERT_NEAR(static_cast<double>(exp_of(x)) / wanted, 1.0, 2e-7) << x;
  }
}

TEST(Exp, OfZeroIsOneAndFarBelowItStaysPositive) {
  EXPECT_EQ(exp_of(0.0F), 1.0F);
  EXPECT_GT(exp_of(-1e30F), 0.0F);
  EXPECT_LT(exp_of(-1e30F), 1e-37F);
}

TEST(Log, IsThatOfTheCLibrary) {
  for (double x = 1e-300; x < 1e300; x *= 1.7) {
    const double wanted = std::log(x);
    ASSERT_NEAR(log_of(x), wanted, 1e-13 * std::abs(wanted) + 1e-15) << x;
  }
  EXPECT_EQ(log_of(1.0), 0.0);
}

}  // namespace
}  // namespace train_text
