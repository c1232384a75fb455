#include <muster/devices/cpu/host_fold.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include <muster/devices/order.hpp>
#include <muster/messages/values/ensure.hpp>

namespace muster {

namespace {

// Elements that are folded at a time: the whole stack of a deep fold stays in the first-level cache. Nothing
// depends on it but speed, since an element depends on its own column only.
constexpr std::size_t tile_elements = 512;
// Left operands wait while their right siblings are computed: one per level of a tree over 2^64 leaves.
constexpr std::size_t stack_limit = 66;

template <class T>
void add_arrays(T* __restrict to, const T* left, const T* right, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = order::add(left[i], right[i]);
}

// The same with `to` as the left operand; apart, since the compiler vectorises only what can't overlap.
template <class T>
void add_onto(T* __restrict to, const T* __restrict right, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = order::add(to[i], right[i]);
}

template <dtype D>
class fold_kernel {
  using number = typename order::element<D>::accumulator;
  static_assert(std::is_same_v<number, typename order::element<D>::storage>,
                "a type that accumulates wider needs outputs of its own width");

 public:
  explicit fold_kernel(const fold_launch& fold)
      : fold_(fold), count_(order::divisor<number>(fold.leaf_count)) {}

  void run() {
    for (const auto& output : fold_.outputs) {
      ensure(output.from.stack_max <= stack_limit,
             "a fold is no deeper than a tree over 2^64 leaves");
      scratch_.resize(std::max(scratch_.size(), output.from.stack_max * tile_elements));
      for (std::size_t first = 0; first < fold_.elements; first += tile_elements) {
        auto* to = reinterpret_cast<number*>(output.to) + first;
        const auto n = std::min(tile_elements, fold_.elements - first);
        evaluate(output.from, first, to, n);
        if (fold_.finish) finish(to, n);
      }
    }
  }

 private:
  void evaluate(const fold_expression& from, std::size_t first, number* to, std::size_t n) {
    std::array<const number*, stack_limit> stack{};
    std::size_t depth = 0;
    for (std::size_t at = 0; at < from.postfix.size(); ++at) {
      const auto word = from.postfix[at];
      if (word != fold_expression::add) {
        stack[depth++] = reinterpret_cast<const number*>(fold_.inputs[word]) + first;
        continue;
      }
      const auto* right = stack[--depth];
      const auto* left = stack[depth - 1];
      auto* own = scratch_.data() + (depth - 1) * tile_elements;
      auto* sum = at + 1 == from.postfix.size() ? to : own;
      if (left == sum)
        add_onto(sum, right, n);
      else
        add_arrays(sum, left, right, n);
      stack[depth - 1] = sum;
    }
    if (stack[0] != to) std::memcpy(to, stack[0], n * sizeof(number));
  }

  void finish(number* values, std::size_t n) const {
    if (fold_.op == reduce_op::mean) {
      for (std::size_t i = 0; i < n; ++i) values[i] = order::finish_mean<D>(values[i], count_);
    } else {
      for (std::size_t i = 0; i < n; ++i) values[i] = order::finish_sum<D>(values[i]);
    }
  }

  const fold_launch& fold_;
  const number count_;
  std::vector<number> scratch_;
};

}  // namespace

void run_fold(const fold_launch& fold) {
  switch (fold.dtype) {
    case dtype::f32: return fold_kernel<dtype::f32>(fold).run();
    case dtype::f64: return fold_kernel<dtype::f64>(fold).run();
    case dtype::f16:
    case dtype::bf16:
    case dtype::i8:
    case dtype::i16:
    case dtype::i32:
    case dtype::i64:
    case dtype::u8:
    case dtype::u16:
    case dtype::u32:
    case dtype::u64:
    case dtype::boolean: break;
  }
  ensure(false, "only dtypes that accumulate are folded");
}

}  // namespace muster
