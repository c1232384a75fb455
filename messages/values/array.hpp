// An array: dtype, shape and row-major bytes. A value that shares its immutable bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <muster/messages/values/dtype.hpp>
#include <muster/messages/values/payload.hpp>

namespace muster {

using shape_vector = std::vector<std::int64_t>;

/// Product of the dimensions; 1 for rank 0. Negative dimensions and a product that does not fit are a bug
/// of the caller (asserted).
std::int64_t element_count(const shape_vector&);
/// The same for a shape that came from outside: nothing where element_count would assert.
std::optional<std::int64_t> checked_element_count(const shape_vector&);
std::string to_string(const shape_vector&);  // "(2, 3)", "()" for rank 0, "(4,)" for one dimension

/// Row-major, dense. Equality is bitwise: -0 differs from +0, a NaN equals the same NaN.
struct array {
  muster::dtype dtype = muster::dtype::f32;
  shape_vector shape;
  payload data;  // exactly element_count(shape) * size_of(dtype) bytes

  /// Takes the values over; asserts that their number is that of the shape.
  template <class T>
  static array of(std::vector<T> values, shape_vector shape);
  /// One-dimensional.
  template <class T>
  static array of(std::vector<T> values) {
    auto n = static_cast<std::int64_t>(values.size());
    return of(std::move(values), shape_vector{n});
  }

  /// The elements; asserts that T is the array's dtype. Bytes from the wire may be unaligned for T:
  /// `aligned()` says so (asserted here), and `copy_elements` works always.
  template <class T>
  [[nodiscard]] std::span<const T> elements() const;
  template <class T>
  [[nodiscard]] std::vector<T> copy_elements() const;
  [[nodiscard]] bool aligned() const;

  friend bool operator==(const array&, const array&) = default;
};

/// Whether the data has exactly the bytes that dtype and shape ask for.
bool is_dense(const array&);

namespace detail {
// Our bug when they fail: they abort with the values.
void check_array(const array&, muster::dtype wanted);
void check_aligned(const array&);
}  // namespace detail

template <class T>
array array::of(std::vector<T> values, shape_vector shape) {
  array a{dtype_of<T>, std::move(shape), {}};
  if constexpr (std::is_same_v<T, bool>) {  // a vector<bool> holds bits
    a.data = payload::adopt(std::vector<std::uint8_t>(values.begin(), values.end()));
  } else {
    a.data = payload::adopt(std::move(values));
  }
  detail::check_array(a, dtype_of<T>);
  return a;
}

template <class T>
std::span<const T> array::elements() const {
  detail::check_array(*this, dtype_of<T>);
  detail::check_aligned(*this);
  return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
}

template <class T>
std::vector<T> array::copy_elements() const {
  detail::check_array(*this, dtype_of<T>);
  std::vector<T> out(data.size() / sizeof(T));
  if constexpr (std::is_same_v<T, bool>) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = data.data()[i] != std::byte{0};
  } else if (!out.empty()) {
    std::memcpy(out.data(), data.data(), data.size());
  }
  return out;
}

}  // namespace muster
