// The two 16-bit floating-point types: how they look in memory, and their exact conversions. Values; any thread, on
// the host and in a kernel.
#pragma once

#include <bit>
#include <cstdint>

#include <muster/messages/values/dtype.hpp>

#ifdef __CUDACC__
#define MUSTER_HOST_DEVICE __host__ __device__
#else
#define MUSTER_HOST_DEVICE
#endif

namespace muster {

/// IEEE 754 binary16: 5 bits of exponent, 10 of fraction. Equality is of bits.
struct float16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(float16, float16) = default;
};

/// The upper half of a binary32. Equality is of bits.
struct bfloat16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(bfloat16, bfloat16) = default;
};

/// Exact.
MUSTER_HOST_DEVICE constexpr float to_float(bfloat16 v) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(v.bits) << 16);
}
MUSTER_HOST_DEVICE constexpr float to_float(float16 v) {
  const std::uint32_t sign = static_cast<std::uint32_t>(v.bits & 0x8000) << 16;
  const std::uint32_t exponent = (v.bits >> 10) & 31;
  const std::uint32_t fraction = v.bits & 0x3ff;
  if (exponent == 0) {  // zero or subnormal: a multiple of 2^-24, which is a normal float
    const float size = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(size) | sign);
  }
  const std::uint32_t rebiased = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | rebiased << 23 | fraction << 13);
}

/// To nearest, ties to even; what is too large becomes an infinity; a NaN becomes the canonical one.
MUSTER_HOST_DEVICE constexpr bfloat16 to_bfloat16(float v) {
  if (v != v) return {0x7fc0};
  const auto bits = std::bit_cast<std::uint32_t>(v);
  return {static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}
MUSTER_HOST_DEVICE constexpr float16 to_float16(float v) {
  if (v != v) return {0x7e00};
  const auto bits = std::bit_cast<std::uint32_t>(v);
  const auto sign = static_cast<std::uint32_t>((bits >> 16) & 0x8000);
  const std::uint32_t size = bits & 0x7fff'ffff;
  std::uint32_t kept = 0, rest = 0, half = 0;
  if (size >= 0x4780'0000) {  // 65536 and up
    kept = 0x7c00;
  } else if (
      size >=
      0x3880'0000) {  // normal here too; rounding up carries into the exponent, to infinity at last
    kept = (size - 0x3800'0000) >> 13;
    rest = size & 0x1fff;
    half = 0x1000;
  } else if (size >= 0x3300'0000) {  // a subnormal: count multiples of 2^-24
    const std::uint32_t shift = 126 - (size >> 23);
    const std::uint32_t fraction = (size & 0x7f'ffff) | 0x80'0000;
    kept = fraction >> shift;
    rest = fraction & ((1u << shift) - 1);
    half = 1u << (shift - 1);
  }
  if (rest > half || (rest == half && half != 0 && (kept & 1) != 0)) ++kept;
  return {static_cast<std::uint16_t>(sign | kept)};
}

template <>
inline constexpr dtype dtype_of<float16> = dtype::f16;
template <>
inline constexpr dtype dtype_of<bfloat16> = dtype::bf16;

}  // namespace muster
