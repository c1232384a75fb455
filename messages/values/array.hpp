// An array: dtype, shape and row-major bytes. A value that shares its immutable bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <muster/messages/values/dtype.hpp>
#include <muster/messages/values/payload.hpp>

namespace muster {

using shape_vector = std::vector<std::int64_t>;

/// Product of the dimensions; 1 for rank 0. Negative dimensions are a bug of the caller (asserted).
std::int64_t element_count(const shape_vector&);
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
  /// `aligned()` says so, and `copy_elements` works always.
  template <class T>
  [[nodiscard]] std::span<const T> elements() const;
  template <class T>
  [[nodiscard]] std::vector<T> copy_elements() const;
  [[nodiscard]] bool aligned() const;

  friend bool operator==(const array&, const array&) = default;
};

namespace detail {
void check_array(const array&, muster::dtype wanted);  // our bug when it fails: aborts with the values
}

template <class T>
array array::of(std::vector<T> values, shape_vector shape) {
  array a{dtype_of<T>, std::move(shape), payload::adopt(std::move(values))};
  detail::check_array(a, dtype_of<T>);
  return a;
}

template <class T>
std::span<const T> array::elements() const {
  detail::check_array(*this, dtype_of<T>);
  return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
}

template <class T>
std::vector<T> array::copy_elements() const {
  detail::check_array(*this, dtype_of<T>);
  std::vector<T> out(data.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), data.data(), data.size());
  return out;
}

}  // namespace muster
