#include <muster/examples/train_text/model.hpp>

#include <cmath>

#include <muster/examples/train_text/block.hpp>
#include <muster/examples/train_text/keyed_random.hpp>

namespace train_text {

std::vector<float> initial_parameters(const model_shape& shape, std::uint64_t seed) {
  keyed_random random(seed, purpose::initial_parameters);
  std::vector<float> p(shape.parameter_count(), 0.0F);
  const auto fill = [&](std::size_t first, std::size_t rows, std::size_t columns, std::size_t used,
                        float scale) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < used; ++j)
        p[first + i * columns + j] = (2 * random.unit() - 1) * scale;
    }
  };
  // A uniform value of variance 1 lies in +-sqrt(3); a rectified layer of n inputs wants 2 / n, the last 1 / n.
  fill(0, shape.vocabulary, shape.embedding, shape.embedding, 1.0F);
  fill(shape.hidden_weight(), shape.inputs(), shape.hidden, shape.hidden,
       std::sqrt(6.0F / static_cast<float>(shape.inputs())));
  fill(shape.output_weight(), shape.hidden, shape.outputs(), shape.vocabulary,
       std::sqrt(3.0F / static_cast<float>(shape.hidden)));
  return p;
}

std::vector<float> next_character(const model_shape& shape, std::span<const float> parameters,
                                  std::span<const std::uint8_t> before) {
  block one(shape, parameters);
  one.set_context(0, before);
  one.forward();
  const auto scores = one.log_probabilities(0);
  return {scores.begin(), scores.end()};
}

}  // namespace train_text
