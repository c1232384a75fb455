#include <muster/examples/train_text/gradient.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <muster/tests/examples/texts.hpp>

namespace train_text {
namespace {

constexpr dropout_rates none{0.0F, 0.0F};

struct given {
  corpus text = small_corpus();
  model_shape shape = small_shape(text);
  std::vector<float> parameters = initial_parameters(shape, 7);

  std::vector<float> gradient(const micro_batch& batch, const dropout_rates& dropout = {}) const {
    std::vector<float> g(shape.parameter_count());
    micro_batch_gradient(shape, parameters, text, batch, dropout, g);
    return g;
  }
  float loss(const micro_batch& batch, const dropout_rates& dropout = {}) const {
    std::vector<float> g(shape.parameter_count());
    return micro_batch_gradient(shape, parameters, text, batch, dropout, g);
  }
};

float slope(given t, const micro_batch& batch, std::size_t i) {
  const float at = t.parameters[i];
  const float h = 2e-3F;
  t.parameters[i] = at + h;
  const float above = t.loss(batch);
  t.parameters[i] = at - h;
  return (above - t.loss(batch)) / (2 * h);
}

// With dropout, and with 6 samples: one block of four and one that is not full.
TEST(Gradient, IsTheSlopeOfTheLossInEveryParameter) {
  const given t;
  const micro_batch batch{.seed = 3, .step = 5, .first_sample = 2, .sample_count = 6};
  const std::vector<float> g = t.gradient(batch);
  for (std::size_t i = 0; i < g.size(); ++i)
    EXPECT_NEAR(g[i], slope(t, batch, i), 2e-3F) << "parameter " << i;
}

TEST(Gradient, ReachesEveryLayer) {
  const given t;
  const std::vector<float> g =
      t.gradient({.seed = 3, .step = 5, .first_sample = 0, .sample_count = 16});
  const auto any = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (std::abs(g[i]) > 1e-3F) return true;
    }
    return false;
  };
  EXPECT_TRUE(any(0, t.shape.hidden_weight()));
  EXPECT_TRUE(any(t.shape.hidden_weight(), t.shape.hidden_bias()));
  EXPECT_TRUE(any(t.shape.hidden_bias(), t.shape.output_weight()));
  EXPECT_TRUE(any(t.shape.output_weight(), t.shape.output_bias()));
  EXPECT_TRUE(any(t.shape.output_bias(), g.size()));
}

TEST(Gradient, OfTheSameMicroBatchHasTheSameBits) {
  const given t;
  const micro_batch batch{.seed = 1, .step = 2, .first_sample = 8, .sample_count = 4};
  EXPECT_EQ(t.gradient(batch), t.gradient(batch));
}

TEST(Gradient, OverwritesWhatItsMemoryHeld) {
  const given t;
  const micro_batch batch{.seed = 1, .step = 2, .first_sample = 8, .sample_count = 4};
  std::vector<float> used(t.shape.parameter_count(), NAN);
  micro_batch_gradient(t.shape, t.parameters, t.text, batch, {}, used);
  EXPECT_EQ(used, t.gradient(batch));
}

// Sample 9 is the same wherever it is computed: alone, or third in a micro-batch that began at 7.
TEST(Gradient, OfABatchIsTheMeanOfItsSamplesWhateverMicroBatchTheyAreIn) {
  const given t;
  const micro_batch all{.seed = 1, .step = 2, .first_sample = 6, .sample_count = 6};
  std::vector<float> sum(t.shape.parameter_count());
  for (std::uint32_t s = 6; s < 12; ++s) {
    const auto one = t.gradient({.seed = 1, .step = 2, .first_sample = s, .sample_count = 1});
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += one[i] / 6;
  }
  const auto whole = t.gradient(all);
  for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(whole[i], sum[i], 1e-6F) << i;
}

TEST(Gradient, ASampleHasTheSameBitsInAnyPlaceOfABlock) {
  const given t;
  const float alone = t.loss({.seed = 1, .step = 2, .first_sample = 9, .sample_count = 1});
  const float before = t.loss({.seed = 1, .step = 2, .first_sample = 8, .sample_count = 1});
  const float both = t.loss({.seed = 1, .step = 2, .first_sample = 8, .sample_count = 2});
  EXPECT_EQ(both, (before + alone) * 0.5F);
}

TEST(Gradient, ColumnsBeyondTheVocabularyStayZero) {
  const given t;
  ASSERT_NE(t.shape.vocabulary % 4, 0U);
  const auto g = t.gradient({.seed = 1, .step = 2, .first_sample = 0, .sample_count = 8});
  for (std::size_t row = t.shape.output_weight(); row < g.size(); row += t.shape.outputs()) {
    for (std::size_t v = t.shape.vocabulary; v < t.shape.outputs(); ++v) {
      EXPECT_EQ(g[row + v], 0.0F);
      EXPECT_EQ(t.parameters[row + v], 0.0F);
    }
  }
}

TEST(Dropout, DependsOnSeedStepAndSampleAndOnNothingElse) {
  given t;
  const auto masked = [&](std::uint64_t seed, std::uint64_t step, std::uint32_t sample) {
    return t.gradient({.seed = seed, .step = step, .first_sample = sample, .sample_count = 1});
  };
  EXPECT_EQ(masked(1, 2, 3), masked(1, 2, 3));
  EXPECT_NE(masked(1, 2, 3), masked(2, 2, 3));
  EXPECT_NE(masked(1, 2, 3), masked(1, 3, 3));
  EXPECT_NE(masked(1, 2, 3), masked(1, 2, 4));
}

TEST(Dropout, LeavesOutItsPartOfTheInputsAndScalesTheRest) {
  const given t;
  const micro_batch batch{.seed = 1, .step = 2, .first_sample = 0, .sample_count = 1};
  const auto full = t.gradient(batch, none);
  const auto masked = t.gradient(batch, {.context = 0.5F, .hidden = 0.0F});
  std::size_t without = 0;
  for (std::size_t i = 0; i < t.shape.hidden_weight(); ++i)
    without += full[i] != 0.0F && masked[i] == 0.0F;
  EXPECT_GT(without, 0U);
  EXPECT_NE(t.loss(batch, none), t.loss(batch, {.context = 0.5F, .hidden = 0.0F}));
}

TEST(HeldOutLoss, OfAnUntrainedModelWithZeroWeightsIsUniform) {
  given t;
  t.parameters.assign(t.parameters.size(), 0.0F);
  const double sum = loss_between(t.shape, t.parameters, t.text, 100, 110);
  EXPECT_NEAR(sum / 10, std::log(t.text.vocabulary()), 1e-6);
}

TEST(HeldOutLoss, IsTheSumOverAnySplit) {
  const given t;
  const auto loss = [&](std::size_t a, std::size_t b) {
    return loss_between(t.shape, t.parameters, t.text, a, b);
  };
  EXPECT_NEAR(loss(50, 63), loss(50, 57) + loss(57, 63), 1e-9);
  EXPECT_EQ(loss(50, 50), 0.0);
}

TEST(HeldOutLoss, UsesNoDropout) {
  const given t;
  const std::size_t at = t.text.position(1, 2, 3, t.shape.context);
  const float trained = t.loss({.seed = 1, .step = 2, .first_sample = 3, .sample_count = 1}, none);
  EXPECT_EQ(static_cast<float>(loss_between(t.shape, t.parameters, t.text, at, at + 1)), trained);
}

}  // namespace
}  // namespace train_text
