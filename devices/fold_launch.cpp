#include <muster/devices/fold_launch.hpp>

#include <algorithm>

#include <muster/devices/order.hpp>
#include <muster/messages/values/ensure.hpp>

namespace muster {

namespace {

// The partial that a slot of the plan holds after some steps: an input, or the sum of two of these.
struct partial {
  std::size_t input = 0;
  const partial* left = nullptr;
  const partial* right = nullptr;
};

std::uint32_t depth_of(const std::vector<std::uint32_t>& postfix) {
  std::uint32_t now = 0, most = 0;
  for (auto word : postfix) {
    if (word == fold_expression::combine)
      --now;
    else
      most = std::max(most, ++now);
  }
  return most;
}

// The tree is balanced over leaf numbers, which are 64 bits, so this recurses at most 64 deep.
void write(const partial& p, std::vector<std::uint32_t>& postfix) {
  if (p.left == nullptr) {
    postfix.push_back(static_cast<std::uint32_t>(p.input));
    return;
  }
  write(*p.left, postfix);
  write(*p.right, postfix);
  postfix.push_back(fold_expression::combine);
}

}  // namespace

std::vector<fold_expression> expressions_of(const fold_plan& plan, std::size_t input_count) {
  ensure(input_count < fold_expression::combine, "a fold has fewer than 2^32 - 1 inputs");
  std::vector<partial> partials(input_count);
  partials.reserve(input_count + plan.steps.size());  // their addresses are kept
  std::vector<const partial*> slots(input_count);
  for (std::size_t i = 0; i < input_count; ++i) {
    partials[i].input = i;
    slots[i] = &partials[i];
  }
  for (const auto& step : plan.steps) {
    partials.push_back({0, slots[step.left], slots[step.right]});
    slots[step.left] = &partials.back();
  }
  std::vector<fold_expression> out;
  for (auto i : plan.remaining) {
    fold_expression e;
    write(*slots[i], e.postfix);
    e.stack_max = depth_of(e.postfix);
    out.push_back(std::move(e));
  }
  return out;
}

std::size_t fold_launch::input_bytes() const {
  return inputs.size() *
         (from_leaves ? elements * size_of(dtype) : order::partial_bytes(op, dtype, elements));
}

std::size_t fold_launch::output_bytes() const {
  return outputs.size() * (finish ? elements * size_of(result_dtype(op, dtype))
                                  : order::partial_bytes(op, dtype, elements));
}

}  // namespace muster
