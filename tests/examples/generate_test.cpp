#include <muster/examples/train_text/generate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <muster/tests/examples/texts.hpp>

namespace train_text {
namespace {

struct given {
  corpus text = small_corpus();
  model_shape shape = small_shape(text);
  std::vector<float> parameters = initial_parameters(shape, 7);
};

TEST(Generate, GivesTheSameTextForTheSameSeed) {
  const given t;
  const std::string once = generate(t.shape, t.parameters, t.text, 1, 60);
  EXPECT_EQ(once.size(), 60U);
  EXPECT_EQ(once, generate(t.shape, t.parameters, t.text, 1, 60));
  EXPECT_NE(once, generate(t.shape, t.parameters, t.text, 2, 60));
}

TEST(Generate, FollowsAModelThatIsSure) {
  given t;
  t.parameters.assign(t.parameters.size(), 0.0F);
  const std::uint8_t sure = t.text.codes()[4];
  t.parameters[t.shape.output_bias() + sure] = 50.0F;
  EXPECT_EQ(generate(t.shape, t.parameters, t.text, 1, 20),
            std::string(20, t.text.character(sure)));
}

TEST(NextCharacter, IsAProbabilityDistribution) {
  const given t;
  double sum = 0;
  for (const float score : next_character(t.shape, t.parameters, t.text.codes().first(50))) {
    sum += std::exp(static_cast<double>(score));
  }
  EXPECT_NEAR(sum, 1.0, 1e-6);
}

}  // namespace
}  // namespace train_text
