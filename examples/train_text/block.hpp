// The model on one block of samples: what it keeps between forward and backward. For gradient.cpp and
// model.cpp; owned by one call, used by its thread alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <muster/examples/train_text/layer.hpp>
#include <muster/examples/train_text/model.hpp>

namespace train_text {

class block {
 public:
  block(const model_shape& shape, std::span<const float> parameters);

  /// Sample s continues `before`, of which the last `context` codes count. The masks, one factor per
  /// input and per hidden unit, are all 1 until something else is written into them.
  void set_context(std::size_t s, std::span<const std::uint8_t> before);
  [[nodiscard]] std::span<float> context_mask(std::size_t s) {
    return row(context_mask_, s, shape_.inputs());
  }
  [[nodiscard]] std::span<float> hidden_mask(std::size_t s) {
    return row(hidden_mask_, s, shape_.hidden);
  }

  /// Fills log_probabilities(s), of `vocabulary` entries, for all samples of the block.
  void forward();
  [[nodiscard]] std::span<const float> log_probabilities(std::size_t s) const {
    return {log_probabilities_.data() + s * shape_.outputs(), shape_.vocabulary};
  }

  /// Adds the gradient of weight * (loss of sample s for target s), for each target given, to `gradient`.
  void backward(std::span<const std::uint8_t> targets, float weight, std::span<float> gradient);

 private:
  static std::span<float> row(std::vector<float>& m, std::size_t s, std::size_t columns) {
    return {m.data() + s * columns, columns};
  }
  void backward_softmax(std::span<const std::uint8_t> targets, float weight);

  const model_shape& shape_;
  std::span<const float> parameters_;
  std::vector<std::uint8_t> codes_;  // [sample][context]
  std::vector<float> context_mask_, inputs_, d_inputs_;
  std::vector<float> hidden_mask_, hidden_, d_hidden_;
  std::vector<float> log_probabilities_, d_outputs_;
};

}  // namespace train_text
