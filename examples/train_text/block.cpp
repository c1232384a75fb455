#include <muster/examples/train_text/block.hpp>

#include <algorithm>

#include <muster/examples/train_text/elementary.hpp>

namespace train_text {
namespace {

/// Turns scores into logarithms of probabilities; columns beyond the vocabulary are left alone.
void log_softmax(float* scores, std::size_t vocabulary) {
  const float top = *std::max_element(scores, scores + vocabulary);
  double sum = 0;
  for (std::size_t v = 0; v < vocabulary; ++v) {
    scores[v] -= top;
    sum += static_cast<double>(exp_of(scores[v]));
  }
  const auto log_sum = static_cast<float>(log_of(sum));
  for (std::size_t v = 0; v < vocabulary; ++v) scores[v] -= log_sum;
}

}  // namespace

block::block(const model_shape& shape, std::span<const float> parameters)
    : shape_(shape),
      parameters_(parameters),
      codes_(block_samples * shape.context),
      context_mask_(block_samples * shape.inputs(), 1.0F),
      inputs_(block_samples * shape.inputs()),
      d_inputs_(block_samples * shape.inputs()),
      hidden_mask_(block_samples * shape.hidden, 1.0F),
      hidden_(block_samples * shape.hidden),
      d_hidden_(block_samples * shape.hidden),
      log_probabilities_(block_samples * shape.outputs()),
      d_outputs_(block_samples * shape.outputs()) {}

void block::set_context(std::size_t s, std::span<const std::uint8_t> before) {
  std::ranges::copy(before.last(shape_.context),
                    codes_.begin() + static_cast<std::ptrdiff_t>(s * shape_.context));
}

void block::forward() {
  const float* p = parameters_.data();
  for (std::size_t slot = 0; slot < codes_.size(); ++slot) {
    const float* from = p + std::size_t{codes_[slot]} * shape_.embedding;
    const float* mask = context_mask_.data() + slot * shape_.embedding;
    float* to = inputs_.data() + slot * shape_.embedding;
    for (std::size_t e = 0; e < shape_.embedding; ++e) to[e] = from[e] * mask[e];
  }
  layer_forward(p + shape_.hidden_weight(), p + shape_.hidden_bias(), inputs_.data(),
                hidden_.data(), shape_.inputs(), shape_.hidden);
  for (std::size_t j = 0; j < hidden_.size(); ++j) {
    hidden_[j] = (hidden_[j] > 0.0F ? hidden_[j] : 0.0F) * hidden_mask_[j];
  }
  layer_forward(p + shape_.output_weight(), p + shape_.output_bias(), hidden_.data(),
                log_probabilities_.data(), shape_.hidden, shape_.outputs());
  for (std::size_t s = 0; s < block_samples; ++s) {
    log_softmax(log_probabilities_.data() + s * shape_.outputs(), shape_.vocabulary);
  }
}

void block::backward_softmax(std::span<const std::uint8_t> targets, float weight) {
  std::ranges::fill(d_outputs_, 0.0F);
  for (std::size_t s = 0; s < targets.size(); ++s) {
    const auto scores = log_probabilities(s);
    float* d = d_outputs_.data() + s * shape_.outputs();
    for (std::size_t v = 0; v < scores.size(); ++v) d[v] = exp_of(scores[v]) * weight;
    d[targets[s]] -= weight;
  }
}

void block::backward(std::span<const std::uint8_t> targets, float weight,
                     std::span<float> gradient) {
  const float* p = parameters_.data();
  float* g = gradient.data();
  backward_softmax(targets, weight);
  layer_backward_weights(hidden_.data(), d_outputs_.data(), g + shape_.output_weight(),
                         g + shape_.output_bias(), shape_.hidden, shape_.outputs());
  layer_backward_inputs(p + shape_.output_weight(), d_outputs_.data(), d_hidden_.data(),
                        shape_.hidden, shape_.outputs());
  for (std::size_t j = 0; j < hidden_.size(); ++j) {
    d_hidden_[j] = hidden_[j] > 0.0F ? d_hidden_[j] * hidden_mask_[j] : 0.0F;
  }
  layer_backward_weights(inputs_.data(), d_hidden_.data(), g + shape_.hidden_weight(),
                         g + shape_.hidden_bias(), shape_.inputs(), shape_.hidden);
  layer_backward_inputs(p + shape_.hidden_weight(), d_hidden_.data(), d_inputs_.data(),
                        shape_.inputs(), shape_.hidden);
  for (std::size_t slot = 0; slot < codes_.size(); ++slot) {
    const float* from = d_inputs_.data() + slot * shape_.embedding;
    const float* mask = context_mask_.data() + slot * shape_.embedding;
    float* to = g + std::size_t{codes_[slot]} * shape_.embedding;
    for (std::size_t e = 0; e < shape_.embedding; ++e) to[e] += from[e] * mask[e];
  }
}

}  // namespace train_text
