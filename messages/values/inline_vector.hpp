// A vector whose first N elements need no heap: what a step of a core returns.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace muster {

/// Grows like a vector; elements beyond N live on the heap. T must be default constructible and movable.
/// Iteration is by index or by `for (auto& e : v)`.
template <class T, std::size_t N>
class inline_vector {
 public:
  inline_vector() = default;

  void push_back(T value) {
    if (near_size_ < N)
      near_[near_size_++] = std::move(value);
    else
      far_.push_back(std::move(value));
  }
  [[nodiscard]] std::size_t size() const { return near_size_ + far_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  T& operator[](std::size_t i) { return i < N ? near_[i] : far_[i - N]; }
  const T& operator[](std::size_t i) const { return i < N ? near_[i] : far_[i - N]; }

  template <class Vector, class Value>
  class iterator_over {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = Value&;
    using pointer = Value*;
    using iterator_category = std::forward_iterator_tag;
    iterator_over() = default;
    iterator_over(Vector* v, std::size_t i) : v_(v), i_(i) {}
    Value& operator*() const { return (*v_)[i_]; }
    Value* operator->() const { return &(*v_)[i_]; }
    iterator_over& operator++() {
      ++i_;
      return *this;
    }
    iterator_over operator++(int) {
      auto old = *this;
      ++i_;
      return old;
    }
    friend bool operator==(const iterator_over&, const iterator_over&) = default;

   private:
    Vector* v_ = nullptr;
    std::size_t i_ = 0;
  };
  using value_type = T;
  using iterator = iterator_over<inline_vector, T>;
  using const_iterator = iterator_over<const inline_vector, const T>;
  iterator begin() { return {this, 0}; }
  iterator end() { return {this, size()}; }
  [[nodiscard]] const_iterator begin() const { return {this, 0}; }
  [[nodiscard]] const_iterator end() const { return {this, size()}; }

 private:
  std::array<T, N> near_{};
  std::vector<T> far_;
  std::size_t near_size_ =
      0;  // and not the whole size: then a moved-from one still tells the truth
};

}  // namespace muster
