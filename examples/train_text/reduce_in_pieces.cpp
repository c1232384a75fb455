#include <muster/examples/train_text/reduce_in_pieces.hpp>

#include <algorithm>
#include <utility>

#include <muster/examples/train_text/replica.hpp>
#include <muster/messages/values/leaves.hpp>
#include <muster/messages/values/limits.hpp>

namespace train_text {
namespace {

using muster::device_cover;

/// The most partials that a host of this world has to send: a host whose leaves are no subtree has several.
std::size_t partials_max(const muster::host& host, std::uint32_t leaves) {
  std::size_t out = 1;
  std::uint32_t device = 0;
  for (const auto& member : host.members().members) {
    const auto first = leaves_of(device, host.device_count(), leaves).first;
    device += member.device_count;
    const auto last = leaves_of(device - 1, host.device_count(), leaves).last;
    if (first < last) out = std::max(out, muster::cover_of_range(leaves, first, last).size());
  }
  return out;
}

/// Elements [first, last) of every leaf.
std::vector<device_cover> part_of(const std::vector<device_cover>& covers, std::size_t first,
                                  std::size_t last) {
  const auto count = static_cast<std::int64_t>(last - first);
  std::vector<device_cover> out;
  for (const auto& whole : covers) {
    out.emplace_back(whole.device(), whole.leaf_count());
    for (const auto& [leaf, value] : whole.leaves()) {
      const auto size = muster::size_of(value.dtype);
      auto data = value.data.part(first * size, (last - first) * size);
      out.back().add(leaf, {value.dtype, {count}, std::move(data)});
    }
  }
  return out;
}

}  // namespace

muster::task<muster::array> reduce_in_pieces(muster::host& host, std::uint32_t leaves,
                                             const std::vector<device_cover>& covers,
                                             muster::reduce_op how) {
  const muster::array* like = nullptr;
  for (const auto& c : covers)
    if (!like) like = c.like();
  if (!like) co_return co_await host.all_reduce(covers, how);  // which says what is wrong
  const std::size_t size = muster::size_of(like->dtype);
  const std::size_t elements = like->data.size() / size;
  const std::size_t each = muster::limits::inline_bytes_max / partials_max(host, leaves) / size;
  const std::size_t pieces = std::max<std::size_t>(1, (elements + each - 1) / each);
  std::vector<std::byte> out;
  for (std::size_t p = 0; p < pieces; ++p) {
    const auto part = part_of(covers, elements * p / pieces, elements * (p + 1) / pieces);
    const muster::array reduced = co_await host.all_reduce(part, how);
    out.insert(out.end(), reduced.data.bytes().begin(), reduced.data.bytes().end());
  }
  co_return muster::array{
      like->dtype, {static_cast<std::int64_t>(elements)}, muster::payload::adopt(std::move(out))};
}

}  // namespace train_text
