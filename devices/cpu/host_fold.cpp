#include <muster/devices/cpu/host_fold.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
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

template <reduce_op Op, class T>
void combine_arrays(T* __restrict to, const T* left, const T* right, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = order::combine<Op>(left[i], right[i]);
}

// The same with `to` as the left operand; apart, since the compiler vectorises only what can't overlap.
template <reduce_op Op, class T>
void combine_onto(T* __restrict to, const T* __restrict right, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = order::combine<Op>(to[i], right[i]);
}

template <dtype D, reduce_op Op>
class fold_kernel {
  using element = order::element<D>;
  using stored = typename element::storage;
  using number = typename element::accumulator;
  using finished = typename order::element<result_dtype(Op, D)>::storage;
  using partial = order::partial_of<D, Op>;
  // A partial in memory is an array of `partial`, but for an argmax, whose values and numbers lie apart.
  static constexpr bool is_paired = Op == reduce_op::argmax;
  static constexpr bool finishes_in_place = std::is_same_v<finished, partial>;

 public:
  explicit fold_kernel(const fold_launch& fold)
      : fold_(fold), count_(order::divisor<number>(fold.leaf_count)) {
    ensure(!is_paired || !fold.from_leaves || fold.leaves.size() == fold.inputs.size(),
           "an argmax knows the number of every leaf");
  }

  void run() {
    for (const auto& output : fold_.outputs) {
      ensure(output.from.stack_max <= stack_limit,
             "a fold is no deeper than a tree over 2^64 leaves");
      scratch_.resize(std::max(scratch_.size(), (output.from.stack_max + 1) * tile_elements));
      for (std::size_t first = 0; first < fold_.elements; first += tile_elements)
        run_tile(output, first, std::min(tile_elements, fold_.elements - first));
      if (is_paired && !fold_.finish) clear_gap(output.to);
    }
  }

 private:
  void run_tile(const fold_launch::output& output, std::size_t first, std::size_t n) {
    partial* whole = slot(output.from.stack_max);
    if (!fold_.finish) {
      if constexpr (!is_paired) whole = at<partial>(output.to, first);
      evaluate(output.from, first, whole, n);
      if constexpr (is_paired) store_pairs(whole, output.to, first, n);
      return;
    }
    auto* to = at<finished>(output.to, first);
    if constexpr (finishes_in_place) whole = to;
    evaluate(output.from, first, whole, n);
    for (std::size_t i = 0; i < n; ++i) to[i] = order::finish<D, Op>(whole[i], count_);
  }

  void evaluate(const fold_expression& from, std::size_t first, partial* to, std::size_t n) {
    std::array<const partial*, stack_limit> stack{};
    std::size_t depth = 0;
    for (std::size_t word = 0; word < from.postfix.size(); ++word) {
      const auto what = from.postfix[word];
      if (what != fold_expression::combine) {
        stack[depth] = load(what, first, slot(depth), n);
        ++depth;
        continue;
      }
      const auto* right = stack[--depth];
      const auto* left = stack[depth - 1];
      auto* result = word + 1 == from.postfix.size() ? to : slot(depth - 1);
      if (left == result)
        combine_onto<Op>(result, right, n);
      else
        combine_arrays<Op>(result, left, right, n);
      stack[depth - 1] = result;
    }
    if (stack[0] != to) std::memcpy(to, stack[0], n * sizeof(partial));
  }

  /// The input's partials: where they are, or made in a slot.
  const partial* load(std::size_t which, std::size_t first, partial* into, std::size_t n) const {
    const auto* input = fold_.inputs[which];
    if constexpr (!order::leaf_is_partial(Op, D)) {
      if (fold_.from_leaves) {
        const auto* leaf = at<stored>(input, first);
        const std::uint64_t number_of_leaf = is_paired ? fold_.leaves[which] : 0;
        for (std::size_t i = 0; i < n; ++i)
          into[i] = order::prepare<D, Op>(leaf[i], number_of_leaf);
        return into;
      }
    }
    if constexpr (is_paired) {
      const auto* values = at<number>(input, first);
      const auto* numbers = at<std::int64_t>(input + gap_end(), first);
      for (std::size_t i = 0; i < n; ++i) into[i] = {values[i], numbers[i]};
      return into;
    } else {
      return at<partial>(input, first);
    }
  }

  void store_pairs(const partial* from, std::byte* to, std::size_t first, std::size_t n) const {
    auto* values = at<number>(to, first);
    auto* numbers = at<std::int64_t>(to + gap_end(), first);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = from[i].value;
      numbers[i] = from[i].leaf;
    }
  }

  /// Between the values and the numbers; partials go to peers, so nothing in them is left to chance.
  void clear_gap(std::byte* to) const {
    const auto begin = fold_.elements * sizeof(number);
    std::memset(to + begin, 0, gap_end() - begin);
  }
  [[nodiscard]] std::size_t gap_end() const { return order::numbers_offset(D, fold_.elements); }

  partial* slot(std::size_t depth) { return scratch_.data() + depth * tile_elements; }

  template <class T>
  static T* at(std::byte* base, std::size_t first) {
    return reinterpret_cast<T*>(base) + first;
  }
  template <class T>
  static const T* at(const std::byte* base, std::size_t first) {
    return reinterpret_cast<const T*>(base) + first;
  }

  const fold_launch& fold_;
  const number count_;
  std::vector<partial> scratch_;
};

template <dtype D, reduce_op Op>
void run_as(const fold_launch& fold) {
  if constexpr (reduces(Op, D))
    fold_kernel<D, Op>(fold).run();
  else
    ensure(false, "a device folds only what check_reduction lets through");
}

template <dtype D>
void run_of(const fold_launch& fold) {
  switch (fold.op) {
    case reduce_op::sum: return run_as<D, reduce_op::sum>(fold);
    case reduce_op::mean: return run_as<D, reduce_op::mean>(fold);
    case reduce_op::prod: return run_as<D, reduce_op::prod>(fold);
    case reduce_op::min: return run_as<D, reduce_op::min>(fold);
    case reduce_op::max: return run_as<D, reduce_op::max>(fold);
    case reduce_op::bit_and: return run_as<D, reduce_op::bit_and>(fold);
    case reduce_op::bit_or: return run_as<D, reduce_op::bit_or>(fold);
    case reduce_op::argmax: return run_as<D, reduce_op::argmax>(fold);
    case reduce_op::norm: return run_as<D, reduce_op::norm>(fold);
  }
}

}  // namespace

void run_fold(const fold_launch& fold) {
  switch (fold.dtype) {
    case dtype::f32: return run_of<dtype::f32>(fold);
    case dtype::f64: return run_of<dtype::f64>(fold);
    case dtype::f16: return run_of<dtype::f16>(fold);
    case dtype::bf16: return run_of<dtype::bf16>(fold);
    case dtype::i8: return run_of<dtype::i8>(fold);
    case dtype::i16: return run_of<dtype::i16>(fold);
    case dtype::i32: return run_of<dtype::i32>(fold);
    case dtype::i64: return run_of<dtype::i64>(fold);
    case dtype::u8: return run_of<dtype::u8>(fold);
    case dtype::u16: return run_of<dtype::u16>(fold);
    case dtype::u32: return run_of<dtype::u32>(fold);
    case dtype::u64: return run_of<dtype::u64>(fold);
    case dtype::boolean: return run_of<dtype::boolean>(fold);
  }
}

}  // namespace muster
