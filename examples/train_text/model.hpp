// A small character language model: the last characters, each as an embedding, through one hidden layer of
// rectified units to a softmax over the next character. Its parameters are one flat vector of f32. Pure
// functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace train_text {

/// Sizes, and where each matrix (row-major) begins in the flat vector: embedding [vocabulary][embedding],
/// hidden_weight [context * embedding][hidden], hidden_bias, output_weight [hidden][outputs], output_bias.
/// `embedding` and `hidden` are multiples of 4, and so is `outputs`: the vocabulary rounded up. The
/// columns beyond the vocabulary are zero and stay so.
struct model_shape {
  std::uint32_t vocabulary = 0;
  std::uint32_t context = 16;
  std::uint32_t embedding = 24;
  std::uint32_t hidden = 136;

  [[nodiscard]] std::size_t inputs() const { return std::size_t{context} * embedding; }
  [[nodiscard]] std::size_t outputs() const { return (std::size_t{vocabulary} + 3) / 4 * 4; }

  [[nodiscard]] std::size_t hidden_weight() const { return std::size_t{vocabulary} * embedding; }
  [[nodiscard]] std::size_t hidden_bias() const { return hidden_weight() + inputs() * hidden; }
  [[nodiscard]] std::size_t output_weight() const { return hidden_bias() + hidden; }
  [[nodiscard]] std::size_t output_bias() const { return output_weight() + hidden * outputs(); }
  [[nodiscard]] std::size_t parameter_count() const { return output_bias() + outputs(); }
};

/// Uniform weights by the seed, each layer scaled to its inputs; biases are zero.
std::vector<float> initial_parameters(const model_shape&, std::uint64_t seed);

/// Logarithms of the probabilities of the next character after these codes, the last `context` of them.
/// At least `context` codes; no dropout.
std::vector<float> next_character(const model_shape&, std::span<const float> parameters,
                                  std::span<const std::uint8_t> before);

}  // namespace train_text
