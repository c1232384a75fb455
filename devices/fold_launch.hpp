// One launch that folds arrays element by element: what a back end is told to compute, in one pass over its
// inputs. Values; the addresses are the device's and must stay good until the launch has run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <muster/messages/values/dtype.hpp>
#include <muster/messages/values/leaves.hpp>
#include <muster/messages/values/operation.hpp>

namespace muster {

/// How one output follows from the inputs, in postfix: an input's index pushes that input's element, `combine`
/// replaces the two on top (right above left) by what order.hpp makes of them. {0, 1, combine, 2, combine} is
/// (in0 + in1) + in2 for a sum.
struct fold_expression {
  static constexpr std::uint32_t combine = 0xffff'ffff;
  std::vector<std::uint32_t> postfix;
  std::uint32_t stack_max = 0;  // elements that are on the stack at most
  friend bool operator==(const fold_expression&, const fold_expression&) = default;
};

/// One expression for each of the plan's remaining partials, in that order.
std::vector<fold_expression> expressions_of(const fold_plan& plan, std::size_t input_count);

struct fold_launch {
  struct output {
    std::byte* to = nullptr;
    fold_expression from;
  };
  muster::dtype dtype = muster::dtype::f32;  // of the arrays
  reduce_op op = reduce_op::sum;
  std::uint64_t leaf_count = 1;  // what a mean is divided by
  bool from_leaves =
      false;  // inputs are arrays, in their dtype; else partials, as order.hpp lays them out
  bool finish =
      false;  // outputs stand for all leaves and become results, in result_dtype; else partials
  std::size_t elements = 0;  // of every input and output
  std::vector<const std::byte*> inputs = {};
  std::vector<output> outputs = {};
  std::vector<std::uint64_t> leaves = {};  // from_leaves: the number of each input

  /// What it reads and writes, for counters and costs.
  [[nodiscard]] std::size_t input_bytes() const;
  [[nodiscard]] std::size_t output_bytes() const;
};

}  // namespace muster
