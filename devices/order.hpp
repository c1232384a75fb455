// The arithmetic half of the one reduction order (the integer half is messages/values/leaves.hpp). Pure
// functions of their arguments and of the floating-point mode; any thread that has set that mode may call
// them, on the host and in a kernel: this header is one source for both.
//
// The rules, which every back end obeys to the bit:
//
//   1. A leaf is one array of the batch's n. Element j of the result depends on element j of every leaf and
//      on nothing else: not on the array's size, the chunk, the message or the thread it was computed in.
//   2. Elements are widened to the accumulation type first: f32 accumulates in f32, f64 in f64 (both
//      unchanged); the 16-bit types will accumulate in f32, exactly representable there. A type is added by
//      one specialisation of `element` below.
//   3. Two partials become one by `add`: left + right, rounded once to nearest, ties to even, where left
//      stands for the lower leaves. Which two is plan_fold's to say. A partial travels in the accumulation
//      type, so that where it is cut changes nothing.
//   4. The whole is finished once, at the end: a sum as it is, a mean by ONE division by n converted to the
//      accumulation type (n itself up to 2^24 for f32; above that its nearest float). Never by 1/n first.
//   5. Then it is narrowed to the result type, for the 16-bit types with one more rounding to nearest even.
//   6. A NaN result is the canonical quiet NaN of its type (0x7fc00000, 0x7ff8000000000000) whatever NaN
//      went in, also when there is only one leaf. Partials keep theirs: which payload survives an addition
//      differs between machines, so nobody may look before the end.
//   7. Signed zeros, infinities and subnormals are IEEE 754's: -0 stays -0 for one leaf and for -0 + -0,
//      +Inf + -Inf is NaN, subnormals are neither flushed nor read as zero.
//   8. Only +, -, *, /, sqrt, comparisons and conversions, each rounded correctly and never contracted into
//      a fused multiply-add (-ffp-contract=off; nvcc: -fmad=false -ftz=false -prec-div=true -prec-sqrt=true).
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include <muster/messages/values/dtype.hpp>
#include <muster/messages/values/operation.hpp>

#ifdef __CUDACC__
#define MUSTER_HOST_DEVICE __host__ __device__
#else
#define MUSTER_HOST_DEVICE
#endif

namespace muster::order {

/// What the order needs to know of an element type: how it is stored, in what it accumulates, its NaN.
template <muster::dtype D>
struct element;

template <>
struct element<dtype::f32> {
  using storage = float;
  using accumulator = float;
  static constexpr muster::dtype accumulation = dtype::f32;
  static constexpr float canonical_nan = std::numeric_limits<float>::quiet_NaN();
  static_assert(std::bit_cast<std::uint32_t>(canonical_nan) == 0x7fc0'0000u);
  MUSTER_HOST_DEVICE static constexpr float widen(float stored) { return stored; }
  MUSTER_HOST_DEVICE static constexpr float narrow(float whole) { return whole; }
};

template <>
struct element<dtype::f64> {
  using storage = double;
  using accumulator = double;
  static constexpr muster::dtype accumulation = dtype::f64;
  static constexpr double canonical_nan = std::numeric_limits<double>::quiet_NaN();
  static_assert(std::bit_cast<std::uint64_t>(canonical_nan) == 0x7ff8'0000'0000'0000u);
  MUSTER_HOST_DEVICE static constexpr double widen(double stored) { return stored; }
  MUSTER_HOST_DEVICE static constexpr double narrow(double whole) { return whole; }
};

/// Rule 3. Both are in the accumulation type; left stands for the lower leaves.
template <class Accumulator>
MUSTER_HOST_DEVICE constexpr Accumulator add(Accumulator left, Accumulator right) {
  return left + right;
}

/// Rule 4: what the whole is divided by, if anything. Made once per array, not per element.
template <class Accumulator>
MUSTER_HOST_DEVICE constexpr Accumulator divisor(std::uint64_t leaf_count) {
  return static_cast<Accumulator>(leaf_count);
}

/// Rules 4, 5 and 6: one element of the result from the partial that stands for all leaves.
template <muster::dtype D>
MUSTER_HOST_DEVICE constexpr typename element<D>::storage finish_sum(
    typename element<D>::accumulator whole) {
  const auto narrowed = element<D>::narrow(whole);
  return narrowed == narrowed ? narrowed : element<D>::canonical_nan;
}
template <muster::dtype D>
MUSTER_HOST_DEVICE constexpr typename element<D>::storage finish_mean(
    typename element<D>::accumulator whole, typename element<D>::accumulator count) {
  return finish_sum<D>(whole / count);
}

/// The type in which partials of a reduction over arrays of this dtype are kept and sent; nothing when
/// this build reduces no such arrays.
constexpr bool accumulates(muster::dtype type) { return type == dtype::f32 || type == dtype::f64; }
constexpr muster::dtype accumulation_dtype(muster::dtype type) {
  return type == dtype::f64 ? dtype::f64 : dtype::f32;
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
