#include <muster/actors/protocols/tree_shape.hpp>

#include <algorithm>

#include <muster/messages/values/ensure.hpp>

namespace muster {
namespace {

/// The members by their place in rank order, without a list of them: a world is one range, and large.
class places {
 public:
  explicit places(const rank_set& members) : members_(members) {}

  /// Those in places first .. last.
  [[nodiscard]] rank_set between(std::uint64_t first, std::uint64_t last) const {
    rank_set out;
    std::uint64_t place = 0;  // of the range's first
    for (const auto& r : members_.ranges()) {
      const std::uint64_t size = r.last - r.first + 1;
      const auto from = std::max(first, place), until = std::min(last + 1, place + size);
      if (from < until)
        out.insert_range(rank{static_cast<std::uint32_t>(r.first + (from - place))},
                         rank{static_cast<std::uint32_t>(r.first + (until - 1 - place))});
      if ((place += size) > last) break;
    }
    return out;
  }

 private:
  const rank_set& members_;
};

rank lowest(const rank_set& ranks) { return rank{ranks.ranges().front().first}; }

std::vector<tree_shape::branch> branches_of(const rank_set& subtree, std::uint32_t fan_out) {
  std::vector<tree_shape::branch> out;
  const places at(subtree);
  const std::uint64_t below = subtree.size() - 1;
  const std::uint64_t parts = std::min<std::uint64_t>(fan_out, below);
  std::uint64_t next = 1;
  for (std::uint64_t i = 0; i < parts; ++i) {
    const std::uint64_t size = below / parts + (i < below % parts ? 1 : 0);
    auto ranks = at.between(next, next + size - 1);
    const auto head = lowest(ranks);
    out.push_back({head, std::move(ranks)});
    next += size;
  }
  return out;
}

}  // namespace

tree_shape tree_shape::of(rank self, const rank_set& members, std::uint32_t fan_out) {
  ensure(members.contains(self), "a node of a tree is one of its members");
  ensure(fan_out >= 1, "a tree has a fan-out of at least 1");
  tree_shape at{lowest(members), members, members, 0, std::nullopt, branches_of(members, fan_out)};
  while (at.self != self) {
    const auto down = std::find_if(at.children.begin(), at.children.end(),
                                   [&](const branch& b) { return b.contains(self); });
    const auto branch = *down;
    at = {branch.head,  branch.ranks, members,
          at.depth + 1, at.self,      branches_of(branch.ranks, fan_out)};
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
