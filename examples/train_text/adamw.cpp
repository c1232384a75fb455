#include <muster/examples/train_text/adamw.hpp>

#include <algorithm>
#include <cmath>

namespace train_text {

float adamw::rate_at(std::uint64_t step) const {
  if (step < options_.warm_up) {
    return options_.rate * static_cast<float>(step + 1) / static_cast<float>(options_.warm_up);
  }
  const std::uint64_t falling =
      std::max<std::uint64_t>(1, steps_ - std::min(steps_, options_.warm_up));
  const std::uint64_t into = std::min(falling, step - options_.warm_up);
  const float left = 1.0F - static_cast<float>(into) / static_cast<float>(falling);
  return options_.rate * (options_.final_part + (1.0F - options_.final_part) * left);
}

void adamw::apply(std::span<const float> gradient, std::span<float> parameters) {
  beta1_power_ *= static_cast<double>(options_.beta1);
  beta2_power_ *= static_cast<double>(options_.beta2);
  const auto correct1 = static_cast<float>(1 / (1 - beta1_power_));
  const auto correct2 = static_cast<float>(1 / (1 - beta2_power_));
  const float rate = rate_at(step_++);
  const float keep = 1.0F - rate * options_.weight_decay;
  const float beta1 = options_.beta1, beta2 = options_.beta2, epsilon = options_.epsilon;
  const float* __restrict g = gradient.data();
  float* __restrict p = parameters.data();
  float* __restrict m = first_.data();
  float* __restrict v = second_.data();
  for (std::size_t i = 0; i < first_.size(); ++i) {
    m[i] = beta1 * m[i] + (1.0F - beta1) * g[i];
    v[i] = beta2 * v[i] + (1.0F - beta2) * (g[i] * g[i]);
    p[i] = keep * p[i] - rate * (m[i] * correct1) / (std::sqrt(v[i] * correct2) + epsilon);
  }
}

}  // namespace train_text
