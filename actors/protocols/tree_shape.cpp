#include <muster/actors/protocols/tree_shape.hpp>

#include <algorithm>

#include <muster/messages/values/ensure.hpp>

namespace muster {
namespace {

std::vector<tree_shape::branch> branches_of(std::uint32_t head, std::uint32_t last,
                                            std::uint32_t fan_out) {
  std::vector<tree_shape::branch> out;
  const std::uint32_t below = last - head;
  const std::uint32_t parts = std::min(fan_out, below);
  std::uint32_t next = head + 1;
  for (std::uint32_t i = 0; i < parts; ++i) {
    const std::uint32_t size = below / parts + (i < below % parts ? 1 : 0);
    out.push_back({rank{next}, rank{next + size - 1}});
    next += size;
  }
  return out;
}

}  // namespace

tree_shape tree_shape::of(rank self, std::uint32_t world_size, std::uint32_t fan_out) {
  ensure(self.value < world_size, "a rank is below the world size");
  ensure(fan_out >= 1, "a tree has a fan-out of at least 1");
  tree_shape at{rank{0}, rank{world_size - 1}, 0, std::nullopt,
                branches_of(0, world_size - 1, fan_out)};
  while (at.self != self) {
    const auto down = std::find_if(at.children.begin(), at.children.end(),
                                   [&](const branch& b) { return b.contains(self); });
    at = {down->head, down->last, at.depth + 1, at.self,
          branches_of(down->head.value, down->last.value, fan_out)};
  }
  return at;
}

std::optional<std::size_t> tree_shape::child_index(rank r) const {
  const auto it = std::lower_bound(children.begin(), children.end(), r,
                                   [](const branch& b, rank wanted) { return b.head < wanted; });
  if (it == children.end() || it->head != r) return std::nullopt;
  return static_cast<std::size_t>(it - children.begin());
}

}  // namespace muster
