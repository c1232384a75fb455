// The arithmetic half of the one reduction order (the integer half is messages/values/leaves.hpp). Pure
// functions of their arguments and of the floating-point mode; any thread that has set that mode may call
// them, on the host and in a kernel: this header is one source for both.
//
// The rules, which every back end obeys to the bit:
//
//   1. A leaf is one array of the batch's n. Element j of the result depends on element j of every leaf and
//      on nothing else: not on the array's size, the chunk, the message or the thread it was computed in.
//   2. Elements are widened to the accumulation type first: f16 and bf16 accumulate in f32, exactly representable
//      there; every other type in itself. A norm squares them there, with one rounding (and no scaling: a square too
//      large is infinity); an argmax pairs each with its leaf's number, as i64.
//   3. Two partials become one by `combine`, where left stands for the lower leaves. Which two is plan_fold's to say.
//      Sums and products of floating point are rounded once to nearest, ties to even; those of integers wrap in their
//      width. The smaller and the larger of two are NaN where one is, and -0 is below +0. And, or are of bits (of
//      truth for bool). A norm adds its squares as a sum does. An argmax keeps the pair with the larger value, where -0
//      is below +0 and NaN above all, and the left one of equals: so the lowest leaf, also of those with NaN. A partial
//      travels in the accumulation type, so that where it is cut changes nothing; an argmax's is all values, zeros up
//      to a multiple of 8 bytes, then all numbers.
//   4. The whole is finished once, at the end: as it is; a mean by ONE division by n converted to the
//      accumulation type (n itself up to 2^24 for f32; above that its nearest float), never by 1/n first; a norm by
//      one square root; an argmax by forgetting the value.
//   5. Then it is narrowed to the result type, for the 16-bit types with one more rounding to nearest even. The number
//      of a leaf is i64 already.
//   6. A NaN result is the canonical quiet NaN of its type (0x7e00, 0x7fc0, 0x7fc00000, 0x7ff8000000000000) whatever NaN
//      went in, also when there is only one leaf. Partials keep theirs: which payload survives an addition
//      differs between machines, so nobody may look before the end.
//   7. Signed zeros, infinities and subnormals are IEEE 754's: -0 stays -0 for one leaf and for -0 + -0,
//      +Inf + -Inf is NaN, subnormals are neither flushed nor read as zero.
//   8. Only +, -, *, /, sqrt, comparisons and conversions, each rounded correctly and never contracted into
//      a fused multiply-add (-ffp-contract=off; nvcc: -fmad=false -ftz=false -prec-div=true -prec-sqrt=true).
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <muster/messages/values/dtype.hpp>
#include <muster/messages/values/half.hpp>
#include <muster/messages/values/operation.hpp>

namespace muster::order {

/// What the order needs to know of an element type: how it is stored, in what it accumulates, and how one becomes
/// the other. `narrow` gives the canonical NaN for every NaN.
template <class Stored>
struct plain_element {
  using storage = Stored;
  using accumulator = Stored;
  MUSTER_HOST_DEVICE static constexpr Stored widen(Stored stored) { return stored; }
  MUSTER_HOST_DEVICE static constexpr Stored narrow(Stored whole) {
    if constexpr (std::is_floating_point_v<Stored>)
      return whole == whole ? whole : std::numeric_limits<Stored>::quiet_NaN();
    else
      return whole;
  }
};
static_assert(std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN()) ==
              0x7fc0'0000u);
static_assert(std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN()) ==
              0x7ff8'0000'0000'0000u);

template <muster::dtype D>
struct element;
template <>
struct element<dtype::f32> : plain_element<float> {};
template <>
struct element<dtype::f64> : plain_element<double> {};
template <>
struct element<dtype::i8> : plain_element<std::int8_t> {};
template <>
struct element<dtype::i16> : plain_element<std::int16_t> {};
template <>
struct element<dtype::i32> : plain_element<std::int32_t> {};
template <>
struct element<dtype::i64> : plain_element<std::int64_t> {};
template <>
struct element<dtype::u8> : plain_element<std::uint8_t> {};
template <>
struct element<dtype::u16> : plain_element<std::uint16_t> {};
template <>
struct element<dtype::u32> : plain_element<std::uint32_t> {};
template <>
struct element<dtype::u64> : plain_element<std::uint64_t> {};
template <>
struct element<dtype::boolean> : plain_element<std::uint8_t> {};  // 0 or 1

template <>
struct element<dtype::f16> {
  using storage = float16;
  using accumulator = float;
  MUSTER_HOST_DEVICE static constexpr float widen(float16 stored) { return to_float(stored); }
  MUSTER_HOST_DEVICE static constexpr float16 narrow(float whole) { return to_float16(whole); }
};
template <>
struct element<dtype::bf16> {
  using storage = bfloat16;
  using accumulator = float;
  MUSTER_HOST_DEVICE static constexpr float widen(bfloat16 stored) { return to_float(stored); }
  MUSTER_HOST_DEVICE static constexpr bfloat16 narrow(float whole) { return to_bfloat16(whole); }
};

namespace detail {

MUSTER_HOST_DEVICE constexpr bool is_negative(float v) {
  return (std::bit_cast<std::uint32_t>(v) >> 31) != 0;
}
MUSTER_HOST_DEVICE constexpr bool is_negative(double v) {
  return (std::bit_cast<std::uint64_t>(v) >> 63) != 0;
}

/// Whether left is the one to keep; where a NaN is, that is.
template <class T>
MUSTER_HOST_DEVICE constexpr bool keeps_left(T left, T right, bool smaller) {
  if constexpr (std::is_floating_point_v<T>) {
    if (left != left) return true;
    if (right != right) return false;
    if (left == right) return is_negative(left) == smaller;  // differ in the sign of a zero at most
  }
  return smaller ? left < right : right < left;
}

/// Whether right has its place above left; equals have none.
template <class T>
MUSTER_HOST_DEVICE constexpr bool is_below(T left, T right) {
  if constexpr (std::is_floating_point_v<T>) {
    if (left != left) return false;
    if (right != right) return true;
    if (left == right) return is_negative(left) && !is_negative(right);
  }
  return left < right;
}

/// Integers add and multiply as unsigned ones of 64 bits and are cut, so that nothing overflows.
template <class T>
MUSTER_HOST_DEVICE constexpr T add(T left, T right) {
  if constexpr (std::is_floating_point_v<T>)
    return left + right;
  else
    return static_cast<T>(static_cast<std::uint64_t>(left) + static_cast<std::uint64_t>(right));
}
template <class T>
MUSTER_HOST_DEVICE constexpr T multiply(T left, T right) {
  if constexpr (std::is_floating_point_v<T>)
    return left * right;
  else
    return static_cast<T>(static_cast<std::uint64_t>(left) * static_cast<std::uint64_t>(right));
}

}  // namespace detail

/// An element of an argmax's partial: the largest value of some leaves, and the lowest of them that has it.
template <class Accumulator>
struct candidate {
  Accumulator value;
  std::int64_t leaf;
};

/// An element of a partial.
template <muster::dtype D, reduce_op Op>
using partial_of =
    std::conditional_t<Op == reduce_op::argmax, candidate<typename element<D>::accumulator>,
                       typename element<D>::accumulator>;

/// Rule 2: what one element of a leaf is as a partial.
template <muster::dtype D, reduce_op Op>
MUSTER_HOST_DEVICE constexpr partial_of<D, Op> prepare(typename element<D>::storage stored,
                                                       std::uint64_t leaf) {
  const auto wide = element<D>::widen(stored);
  if constexpr (Op == reduce_op::argmax)
    return {wide, static_cast<std::int64_t>(leaf)};
  else if constexpr (Op == reduce_op::norm)
    return wide * wide;
  else
    return wide;
}

/// Rule 3. Both are elements of partials; left stands for the lower leaves.
template <reduce_op Op, class Partial>
MUSTER_HOST_DEVICE constexpr Partial combine(Partial left, Partial right) {
  if constexpr (Op == reduce_op::sum || Op == reduce_op::mean || Op == reduce_op::norm)
    return detail::add(left, right);
  else if constexpr (Op == reduce_op::prod)
    return detail::multiply(left, right);
  else if constexpr (Op == reduce_op::min)
    return detail::keeps_left(left, right, true) ? left : right;
  else if constexpr (Op == reduce_op::max)
    return detail::keeps_left(left, right, false) ? left : right;
  else if constexpr (Op == reduce_op::argmax)
    return detail::is_below(left.value, right.value) ? right : left;
  else if constexpr (Op == reduce_op::bit_and)
    return static_cast<Partial>(left & right);
  else
    return static_cast<Partial>(left | right);
}

/// Rule 4: what the whole is divided by, if anything. Made once per array, not per element.
template <class Accumulator>
MUSTER_HOST_DEVICE constexpr Accumulator divisor(std::uint64_t leaf_count) {
  return static_cast<Accumulator>(leaf_count);
}

/// Rules 4, 5 and 6: one element of the result from the partial that stands for all leaves.
template <muster::dtype D, reduce_op Op>
MUSTER_HOST_DEVICE constexpr typename element<result_dtype(Op, D)>::storage finish(
    partial_of<D, Op> whole, typename element<D>::accumulator count) {
  if constexpr (Op == reduce_op::argmax)
    return whole.leaf;
  else if constexpr (Op == reduce_op::mean)
    return element<D>::narrow(whole / count);
  else if constexpr (Op == reduce_op::norm)
    return element<D>::narrow(std::sqrt(whole));
  else
    return element<D>::narrow(whole);
}

/// The type in which partials of a reduction over arrays of this dtype are kept and sent.
constexpr muster::dtype accumulation_dtype(muster::dtype type) {
  return type == dtype::f16 || type == dtype::bf16 ? dtype::f32 : type;
}

/// Whether the bytes of a leaf are those of its partial, so that a leaf that meets no other is passed on as it is.
constexpr bool leaf_is_partial(reduce_op op, muster::dtype type) {
  return accumulation_dtype(type) == type && op != reduce_op::norm && op != reduce_op::argmax;
}

/// Where the numbers of an argmax's partial begin; its values begin at 0.
inline std::size_t numbers_offset(muster::dtype type, std::size_t elements) {
  constexpr std::size_t alignment = sizeof(std::int64_t);
  return (elements * size_of(accumulation_dtype(type)) + alignment - 1) / alignment * alignment;
}

/// Bytes of a partial. Nothing overflows where `elements` times the bytes of one element do not.
inline std::size_t partial_bytes(reduce_op op, muster::dtype type, std::size_t elements) {
  if (op == reduce_op::argmax)
    return numbers_offset(type, elements) + elements * sizeof(std::int64_t);
  return elements * size_of(accumulation_dtype(type));
}

/// Sets this thread to rounding to nearest with subnormals kept (FTZ and DAZ off), whatever a trainer's
/// library did to it. Every thread that runs the functions above calls it first.
void set_floating_point_mode();

/// The same for a scope, for threads that are not a device's own: puts back what was there.
class floating_point_scope {
 public:
  floating_point_scope();
  ~floating_point_scope();
  floating_point_scope(const floating_point_scope&) = delete;
  floating_point_scope& operator=(const floating_point_scope&) = delete;

 private:
  std::uint64_t saved_;
};

}  // namespace muster::order
