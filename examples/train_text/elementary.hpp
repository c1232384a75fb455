// exp and log from +, -, *, / and bit patterns alone. The C library picks another routine for another
// processor, with other last bits; with these a digest of parameters is the same on every machine.
#pragma once

#include <bit>
#include <cstdint>

namespace train_text {

/// e^x for x <= 0, to about one unit in the last place; below -87 it stays at e^-87.
inline float exp_of(float x) {
  x = x < -87.0F ? -87.0F : x;
  // Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the low bits.
  const float shifted = x * 1.44269504F + 12582912.0F;
  const float n = shifted - 12582912.0F;
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;  // x - n ln 2, ln 2 in two parts
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  const float e = p * (r * r) + r + 1.0F;
  return e * std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
}

/// The natural logarithm of a positive, normal x.
inline double log_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
  auto m = std::bit_cast<double>((bits & 0x000f'ffff'ffff'ffffU) | 0x3ff0'0000'0000'0000U);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  const double z = (m - 1) / (m + 1);  // log m = 2 atanh z, |z| < 0.172
  const double z2 = z * z;
  double series = 0;
  for (int k = 21; k >= 1; k -= 2) series = series * z2 + 1.0 / k;
  return static_cast<double>(exponent) * 0.6931471805599453 + 2 * z * series;
}

}  // namespace train_text
