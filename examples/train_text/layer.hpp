// One dense layer over a block of samples, forward and backward. Loops run along rows, so that a plain
// compiler vectorises them without changing any order of addition. Pure functions on the caller's memory.
#pragma once

#include <cstddef>
#include <cstring>

namespace train_text {

/// Samples that go through a layer together: weights are read once for four.
inline constexpr std::size_t block_samples = 4;

/// y[s][j] = bias[j] + sum over i, ascending, of x[s][i] * w[i][j]. `in` is a multiple of 4.
inline void layer_forward(const float* __restrict w, const float* __restrict bias,
                          const float* __restrict x, float* __restrict y, std::size_t in,
                          std::size_t out) {
  for (std::size_t s = 0; s < block_samples; ++s)
    std::memcpy(y + s * out, bias, out * sizeof(float));
  for (std::size_t i = 0; i < in; i += 4) {
    const float* __restrict w0 = w + i * out;
    for (std::size_t s = 0; s < block_samples; ++s) {
      const float* xs = x + s * in + i;
      const float x0 = xs[0], x1 = xs[1], x2 = xs[2], x3 = xs[3];
      float* __restrict ys = y + s * out;
      for (std::size_t j = 0; j < out; ++j) {
        ys[j] = (((ys[j] + x0 * w0[j]) + x1 * w0[out + j]) + x2 * w0[2 * out + j]) +
                x3 * w0[3 * out + j];
      }
    }
  }
}

/// dw[i][j] += x[s][i] * dy[s][j] and dbias[j] += dy[s][j], over s ascending.
inline void layer_backward_weights(const float* __restrict x, const float* __restrict dy,
                                   float* __restrict dw, float* __restrict dbias, std::size_t in,
                                   std::size_t out) {
  const float* __restrict d0 = dy;
  const float* __restrict d1 = dy + out;
  const float* __restrict d2 = dy + 2 * out;
  const float* __restrict d3 = dy + 3 * out;
  for (std::size_t i = 0; i < in; ++i) {
    const float x0 = x[i], x1 = x[in + i], x2 = x[2 * in + i], x3 = x[3 * in + i];
    float* __restrict row = dw + i * out;
    for (std::size_t j = 0; j < out; ++j) {
      row[j] = (((row[j] + x0 * d0[j]) + x1 * d1[j]) + x2 * d2[j]) + x3 * d3[j];
    }
  }
  for (std::size_t j = 0; j < out; ++j) dbias[j] = (((dbias[j] + d0[j]) + d1[j]) + d2[j]) + d3[j];
}

/// Four floats that are added lane by lane: a dot product in four partial sums, in an order that is
/// written here and not chosen by the compiler.
using lanes [[gnu::vector_size(16)]] = float;

inline lanes load_lanes(const float* p) {
  lanes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline float sum_lanes(lanes v) { return (v[0] + v[1]) + (v[2] + v[3]); }

/// dx[s][i] = sum over j of dy[s][j] * w[i][j]. `out` is a multiple of 4.
inline void layer_backward_inputs(const float* w, const float* dy, float* dx, std::size_t in,
                                  std::size_t out) {
  for (std::size_t i = 0; i < in; ++i) {
    const float* row = w + i * out;
    lanes sum0{}, sum1{}, sum2{}, sum3{};
    for (std::size_t j = 0; j < out; j += 4) {
      const lanes wj = load_lanes(row + j);
      sum0 += wj * load_lanes(dy + j);
      sum1 += wj * load_lanes(dy + out + j);
      sum2 += wj * load_lanes(dy + 2 * out + j);
      sum3 += wj * load_lanes(dy + 3 * out + j);
    }
    dx[i] = sum_lanes(sum0);
    dx[in + i] = sum_lanes(sum1);
    dx[2 * in + i] = sum_lanes(sum2);
    dx[3 * in + i] = sum_lanes(sum3);
  }
}

}  // namespace train_text
