#include <muster/actors/shells/reduction_slices.hpp>

#include <algorithm>

#include <muster/devices/order.hpp>

namespace muster {
namespace {

std::uint64_t padded(std::uint64_t n) {
  return (n + slice_alignment - 1) / slice_alignment * slice_alignment;
}

/// `bytes` of `from`, then zeros up to `until`.
void append(const payload& from, std::uint64_t offset, std::uint64_t bytes, std::uint64_t until,
            std::vector<payload>& out) {
  static const payload zeros = payload::adopt(std::vector<std::uint8_t>(slice_alignment));
  if (bytes != 0) out.push_back(from.part(offset, bytes));
  if (until > bytes) out.push_back(zeros.part(0, until - bytes));
}

}  // namespace

reduction_slices::reduction_slices(const signature& said, std::uint32_t owners)
    : reduce_(*said.reduce),
      type_(*said.dtype),
      elements_(static_cast<std::uint64_t>(element_count(said.shape))),
      owners_(owners) {}

reduction_slices::range reduction_slices::of(std::uint32_t owner) const {
  const auto each = padded((elements_ + owners_ - 1) / owners_);
  return {std::min(owner * each, elements_), std::min((owner + 1) * each, elements_)};
}

std::uint64_t reduction_slices::partial_bytes(std::uint32_t owner) const {
  return order::partial_bytes(reduce_, type_, of(owner).size());
}

std::uint64_t reduction_slices::partial_stride(std::uint32_t owner) const {
  return padded(partial_bytes(owner));
}

std::uint64_t reduction_slices::result_bytes(std::uint32_t owner) const {
  return of(owner).size() * size_of(result_dtype(reduce_, type_));
}

std::uint64_t reduction_slices::result_offset(std::uint32_t owner) const {
  return of(owner).first * size_of(result_dtype(reduce_, type_));
}

std::uint64_t reduction_slices::whole_result_bytes() const {
  return elements_ * size_of(result_dtype(reduce_, type_));
}

std::vector<payload> reduction_slices::cut(const std::vector<payload>& partials,
                                           std::uint32_t owner) const {
  std::vector<payload> out;
  const auto [first, last] = of(owner);
  const auto value = size_of(order::accumulation_dtype(type_));
  const auto values = (last - first) * value;
  for (const auto& partial : partials) {
    if (reduce_ != reduce_op::argmax) {
      append(partial, first * value, values, partial_stride(owner), out);
      continue;
    }
    // An argmax's partial is values, and the numbers behind them: both are cut.
    const auto numbers = order::numbers_offset(type_, last - first);
    append(partial, first * value, values, numbers, out);
    append(partial, order::numbers_offset(type_, elements_) + first * sizeof(std::int64_t),
           (last - first) * sizeof(std::int64_t), partial_stride(owner) - numbers, out);
  }
  return out;
}

}  // namespace muster
