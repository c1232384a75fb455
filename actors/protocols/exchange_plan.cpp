#include <muster/actors/protocols/exchange_plan.hpp>

#include <algorithm>

#include <muster/actors/protocols/tree_shape.hpp>
#include <muster/messages/values/ensure.hpp>

namespace muster {

stream_plan spread(std::uint32_t id, rank source, std::uint64_t bytes,
                   std::span<const rank> members, rank self, std::uint32_t fan_out) {
  const auto size = static_cast<std::uint32_t>(members.size());
  const auto place_of = [&](rank r) {
    const auto it = std::lower_bound(members.begin(), members.end(), r);
    ensure(it != members.end() && *it == r, "a stream's hosts are members");
    return static_cast<std::uint32_t>(it - members.begin());
  };
  const auto first = place_of(source);
  const auto at = [&](rank place) { return members[(place.value + first) % size]; };
  const auto shape = tree_shape::of(rank{(place_of(self) + size - first) % size},
                                    rank_set::of_range(rank{0}, rank{size - 1}), fan_out);
  stream_plan out{id, source, bytes, {}, {}};
  if (shape.parent) out.from = at(*shape.parent);
  for (const auto& child : shape.children) out.to.push_back(at(child.head));
  return out;
}

stream_plan direct(std::uint32_t id, rank source, rank target, std::uint64_t bytes, rank self) {
  stream_plan out{id, source, bytes, {}, {}};
  if (source == target) return out;
  if (self == source) out.to.push_back(target);
  if (self == target) out.from = source;
  return out;
}

}  // namespace muster
