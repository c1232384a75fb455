// AdamW: Adam with weight decay beside the gradient, and a learning rate that warms up and then falls. A
// value with one owner; every host keeps its own and gives it the same gradients, so all stay equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace train_text {

/// The rate of step t of n rises linearly to `rate` over the first `warm_up` steps and then falls
/// linearly to `final_part` of it at the last step. So the first `warm_up` steps do not depend on n.
struct adamw_options {
  float rate = 8e-3F;
  std::uint64_t warm_up = 100;
  float final_part = 0.05F;
  float weight_decay = 0.3F;
  float beta1 = 0.9F;
  float beta2 = 0.99F;
  float epsilon = 1e-8F;
};

class adamw {
 public:
  adamw(adamw_options options, std::size_t parameter_count, std::uint64_t steps)
      : options_(options), steps_(steps), first_(parameter_count), second_(parameter_count) {}

  /// One step; the spans have parameter_count elements. Uses +, -, *, / and sqrt alone.
  void apply(std::span<const float> gradient, std::span<float> parameters);

  /// The rate of step `step`, counted from 0.
  [[nodiscard]] float rate_at(std::uint64_t step) const;

 private:
  adamw_options options_;
  std::uint64_t steps_;
  std::uint64_t step_ = 0;
  double beta1_power_ = 1, beta2_power_ = 1;
  std::vector<float> first_, second_;  // moments
};

}  // namespace train_text
