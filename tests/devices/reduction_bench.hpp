// What the reduction tests share: signatures, contributions, and a second, simple opinion on the order.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <muster/devices/reduce.hpp>
#include <muster/tests/devices/device_under_test.hpp>

namespace muster::test {

template <class T>
using leaf_values = std::vector<std::vector<T>>;  // by leaf number

inline signature reduction_of(reduce_op op, muster::dtype type, std::uint64_t leaf_count,
                              std::int64_t elements) {
  signature said;
  said.kind = op_kind::all_reduce;
  said.reduce = op;
  said.dtype = type;
  said.shape = {elements};
  said.leaf_count = leaf_count;
  return said;
}

/// Waits for the reduction; an empty contribution when it failed.
inline contribution settled(device_under_test& on, result<started_reduction> started) {
  EXPECT_TRUE(started.ok()) << to_string(started.why());
  if (!started || on.settle(started->done) != event_progress::done) return {};
  return std::move(started->result);
}

template <class T>
contribution cover_of(device_under_test& on, const signature& said, const leaf_values<T>& values,
                      std::span<const std::uint64_t> leaves) {
  std::vector<std::pair<std::uint64_t, array>> arrays;
  for (auto leaf : leaves) arrays.emplace_back(leaf, array::of(values[leaf]));
  return settled(on, start_cover(on.get(), said, arrays));
}

/// All leaves on one device, finished.
template <class T, class Result = T>
std::vector<Result> reduced(device_under_test& on, reduce_op op, const leaf_values<T>& values) {
  const auto said =
      reduction_of(op, dtype_of<T>, values.size(), static_cast<std::int64_t>(values[0].size()));
  std::vector<std::uint64_t> all(values.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const std::vector<contribution> one{cover_of(on, said, values, all)};
  const auto whole = settled(on, start_fold(on.get(), said, true, one));
  if (whole.frames.size() != 1) return {};
  return array{dtype_of<Result>, said.shape, whole.frames[0]}.template copy_elements<Result>();
}

/// The order in its shortest form, element by element, from its definition and without leaves.hpp.
template <class T>
T sum_of_column(const leaf_values<T>& values, std::size_t column, std::size_t first,
                std::size_t last) {
  if (last - first == 1) return values[first][column];
  const auto left = std::bit_floor(last - first - 1);
  return sum_of_column(values, column, first, first + left) +
         sum_of_column(values, column, first + left, last);
}

template <class T>
std::vector<T> expected(reduce_op op, const leaf_values<T>& values) {
  std::vector<T> out(values[0].size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = sum_of_column(values, i, 0, values.size());
    if (op == reduce_op::mean) out[i] /= static_cast<T>(values.size());
    if (out[i] != out[i]) out[i] = std::numeric_limits<T>::quiet_NaN();
  }
  return out;
}

inline std::uint32_t bits_of(float v) { return std::bit_cast<std::uint32_t>(v); }
inline std::uint64_t bits_of(double v) { return std::bit_cast<std::uint64_t>(v); }

/// Compares as bytes: NaN equals itself and -0 isn't 0.
template <class T>
std::vector<decltype(bits_of(T{}))> bits_of(const std::vector<T>& values) {
  std::vector<decltype(bits_of(T{}))> out;
  for (T v : values) out.push_back(bits_of(v));
  return out;
}

}  // namespace muster::test
