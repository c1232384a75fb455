// The model, the gradient and the optimiser together, in one thread and without Muster.
#include <gtest/gtest.h>

#include <vector>

#include <muster/examples/train_text/adamw.hpp>
#include <muster/examples/train_text/digest.hpp>
#include <muster/examples/train_text/gradient.hpp>

#include <muster/tests/examples/texts.hpp>

namespace train_text {
namespace {

double held_out(const model_shape& shape, const std::vector<float>& parameters,
                const corpus& text) {
  return loss_between(shape, parameters, text, text.held_out_first(), text.held_out_last()) /
         static_cast<double>(text.held_out_last() - text.held_out_first());
}

TEST(Learning, ARepeatedSentenceIsLearnedByHeart) {
  const corpus text = small_corpus();
  const model_shape shape{
      .vocabulary = text.vocabulary(), .context = 8, .embedding = 8, .hidden = 32};
  std::vector<float> parameters = initial_parameters(shape, 1);
  std::vector<float> gradient(parameters.size());
  adamw optimizer({.warm_up = 20}, parameters.size(), 200);
  EXPECT_GT(held_out(shape, parameters, text), 2.0);
  for (std::uint64_t step = 0; step < 200; ++step) {
    micro_batch_gradient(shape, parameters, text, {1, step, 0, 32}, {}, gradient);
    optimizer.apply(gradient, parameters);
  }
  EXPECT_LT(held_out(shape, parameters, text), 0.2);
}

// A known answer: only correctly rounded operations in a written order lead to it, so it holds for every
// compiler option, processor and C library.
TEST(Learning, TenStepsEndInTheSameBitsOnEveryMachine) {
  const corpus text = small_corpus();
  const model_shape shape{.vocabulary = text.vocabulary()};
  std::vector<float> parameters = initial_parameters(shape, 1);
  std::vector<float> gradient(parameters.size());
  adamw optimizer({}, parameters.size(), 100);
  for (std::uint64_t step = 0; step < 10; ++step) {
    micro_batch_gradient(shape, parameters, text, {1, step, 0, 6}, {}, gradient);
    optimizer.apply(gradient, parameters);
  }
  EXPECT_EQ(digest_of(parameters), "7b343df175208784ef5ccd0ffc51b7df");
}

TEST(ModelShape, OfTheDefaultHasFiftyThousandParametersForAnyAlphabet) {
  EXPECT_GE((model_shape{.vocabulary = 1}.parameter_count()), 50'000U);
  EXPECT_GE(model_shape{}.context, 16U);
}

}  // namespace
}  // namespace train_text
