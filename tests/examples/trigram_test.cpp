#include <muster/examples/train_text/trigram.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include <muster/tests/examples/texts.hpp>

namespace train_text {
namespace {

// "abab...": 1,800 training characters have 1,798 triples, 899 of each kind; the other two never occur.
TEST(Trigram, OfAnAlternationIsWhatAHandComputes) {
  const corpus text = text_of(repeat("ab", 2'000));
  EXPECT_NEAR(trigram_loss(text), -std::log(900.0 / 901.0), 1e-12);
}

// The pair "xx" occurs 1,799 - 1 = 1,798 times before an x; in the held-out part comes one y, and the pairs
// "xy" and "yx" after it were never seen: two characters of probability 1/2.
TEST(Trigram, UnseenPairsPredictTheUniformDistribution) {
  std::string text(2'000, 'x');
  text[1'900] = 'y';
  const double seen = -std::log(1'799.0 / 1'800.0);
  const double surprise = -std::log(1.0 / 1'800.0);
  EXPECT_NEAR(trigram_loss(text_of(text)), (197 * seen + surprise + 2 * std::log(2.0)) / 200,
              1e-12);
}

TEST(Trigram, NeverCountsTheHeldOutPart) {
  std::string text = repeat("ab", 2'000);
  const double before = trigram_loss(text_of(text));
  text.replace(1'800, 200, repeat("ba", 200));
  EXPECT_GT(trigram_loss(text_of(text)), before);
}

}  // namespace
}  // namespace train_text
