#include <muster/examples/train_text/gradient.hpp>

#include <algorithm>
#include <array>

#include <muster/examples/train_text/block.hpp>
#include <muster/examples/train_text/keyed_random.hpp>

namespace train_text {
namespace {

/// Each entry 0 with probability `rate`, else 1 / (1 - rate), so that the mean stays.
void draw_mask(keyed_random& random, float rate, std::span<float> mask) {
  const auto dropped_below = static_cast<std::uint32_t>(rate * 65536.0F);
  const float kept = 1.0F / (1.0F - rate);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    bits = i % 4 == 0 ? random.bits() : bits >> 16;  // four draws of 16 bits
    mask[i] = (bits & 0xffffU) < dropped_below ? 0.0F : kept;
  }
}

}  // namespace

float micro_batch_gradient(const model_shape& shape, std::span<const float> parameters,
                           const corpus& text, const micro_batch& batch,
                           const dropout_rates& dropout, std::span<float> gradient) {
  std::ranges::fill(gradient, 0.0F);
  const float weight = 1.0F / static_cast<float>(batch.sample_count);
  block samples(shape, parameters);
  float loss = 0;
  for (std::uint32_t done = 0; done < batch.sample_count; done += block_samples) {
    std::array<std::uint8_t, block_samples> targets{};
    const std::size_t n = std::min<std::size_t>(block_samples, batch.sample_count - done);
    for (std::size_t s = 0; s < n; ++s) {
      const std::uint32_t sample = batch.first_sample + done + static_cast<std::uint32_t>(s);
      const std::size_t at = text.position(batch.seed, batch.step, sample, shape.context);
      targets[s] = text.codes()[at];
      samples.set_context(s, text.codes().first(at));
      keyed_random random(batch.seed, purpose::dropout, batch.step, sample);
      draw_mask(random, dropout.context, samples.context_mask(s));
      draw_mask(random, dropout.hidden, samples.hidden_mask(s));
    }
    samples.forward();
    for (std::size_t s = 0; s < n; ++s) loss -= samples.log_probabilities(s)[targets[s]];
    samples.backward(std::span(targets).first(n), weight, gradient);
  }
  return loss * weight;
}

double loss_between(const model_shape& shape, std::span<const float> parameters, const corpus& text,
                    std::size_t first, std::size_t last) {
  block samples(shape, parameters);
  double sum = 0;
  for (std::size_t at = first; at < last; at += block_samples) {
    const std::size_t n = std::min(block_samples, last - at);
    for (std::size_t s = 0; s < n; ++s) samples.set_context(s, text.codes().first(at + s));
    samples.forward();
    for (std::size_t s = 0; s < n; ++s)
      sum -= static_cast<double>(samples.log_probabilities(s)[text.codes()[at + s]]);
  }
  return sum;
}

}  // namespace train_text
