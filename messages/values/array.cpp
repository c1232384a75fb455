#include <limits>

#include <muster/messages/values/array.hpp>
#include <muster/messages/values/ensure.hpp>

namespace muster {

std::optional<std::int64_t> checked_element_count(const shape_vector& shape) {
  bool empty = false;
  for (auto d : shape) {
    if (d < 0) return {};
    empty = empty || d == 0;
  }
  if (empty) return 0;
  std::int64_t n = 1;
  for (auto d : shape) {
    if (n > std::numeric_limits<std::int64_t>::max() / d) return {};
    n *= d;
  }
  return n;
}

std::int64_t element_count(const shape_vector& shape) {
  auto n = checked_element_count(shape);
  if (!n)
    ensure(false, "shape " + to_string(shape) +
                      " has a negative dimension or more than 2^63 - 1 elements");
  return *n;
}

std::string to_string(const shape_vector& shape) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) out += ", ";
    out += std::to_string(shape[i]);
  }
  if (shape.size() == 1) out += ',';
  return out += ')';
}

bool array::aligned() const {
  return reinterpret_cast<std::uintptr_t>(data.data()) % size_of(dtype) == 0;
}

bool is_dense(const array& a) {
  auto n = checked_element_count(a.shape);
  const std::size_t size = size_of(a.dtype);
  return n && a.data.size() % size == 0 && a.data.size() / size == static_cast<std::uint64_t>(*n);
}

namespace detail {

void check_array(const array& a, muster::dtype wanted) {
  if (a.dtype != wanted) {
    ensure(false, "an array of " + std::string(to_string(a.dtype)) + " was used as " +
                      std::string(to_string(wanted)));
  }
  if (!is_dense(a)) {
    ensure(false, "an array of " + std::string(to_string(a.dtype)) + " and shape " +
                      to_string(a.shape) + " has " + std::to_string(a.data.size()) + " bytes");
  }
}

void check_aligned(const array& a) {
  if (!a.aligned()) {
    ensure(false, "the elements of an unaligned array of " + std::string(to_string(a.dtype)) +
                      " were viewed in place");
  }
}

}  // namespace detail

}  // namespace muster
