// How a large reduction is cut over the hosts that share it: each owns a slice of the elements, and partials are cut to
// fit. Sizes and pieces of bytes, nothing that moves. A value; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/messages/values/operation.hpp>
#include <muster/messages/values/payload.hpp>

namespace muster {

/// What arrays in packed trees and vector registers like. Slices begin at multiples of so many elements, and each partial
/// of a slice takes a multiple of so many bytes, so that all of them begin there too.
inline constexpr std::size_t slice_alignment = 64;

class reduction_slices {
 public:
  struct range {
    std::uint64_t first = 0, last = 0;  // elements
    [[nodiscard]] std::uint64_t size() const { return last - first; }
  };

  reduction_slices() = default;
  /// `said` is of a reduction, with reduction, dtype and a shape whose elements can be counted.
  reduction_slices(const signature& said, std::uint32_t owners);

  /// Whatever an owner has: the last ones may have nothing.
  [[nodiscard]] range of(std::uint32_t owner) const;
  /// Bytes of one partial of that slice, and what it takes among others.
  [[nodiscard]] std::uint64_t partial_bytes(std::uint32_t owner) const;
  [[nodiscard]] std::uint64_t partial_stride(std::uint32_t owner) const;
  /// Bytes of the slice of the result, and where they stand in all of it.
  [[nodiscard]] std::uint64_t result_bytes(std::uint32_t owner) const;
  [[nodiscard]] std::uint64_t result_offset(std::uint32_t owner) const;
  [[nodiscard]] std::uint64_t whole_result_bytes() const;

  /// The bytes of these whole partials that belong to a slice, in pieces that share them; partial_stride each.
  [[nodiscard]] std::vector<payload> cut(const std::vector<payload>& partials,
                                         std::uint32_t owner) const;

 private:
  reduce_op reduce_ = reduce_op::sum;
  dtype type_ = dtype::f32;
  std::uint64_t elements_ = 0;
  std::uint32_t owners_ = 1;
};

}  // namespace muster
