#include <muster/actors/protocols/instance.hpp>

#include <algorithm>

#include <muster/messages/values/limits.hpp>

namespace muster {

bool statements::add(const signature& said, const rank_set& ranks) {
  for (auto& s : list_) {
    if (s.said != said) continue;
    if (ranks.minus(s.ranks).empty()) return false;
    s.ranks.merge(ranks);
    return true;
  }
  if (list_.size() == limits::statements_max) return false;
  common_ = list_.empty() ? said : common_ ? agreed(*common_, said) : std::nullopt;
  list_.push_back({said, ranks});
  return true;
}

rank_set statements::members() const {
  rank_set out;
  for (const auto& s : list_) {
    if (s.said.members.empty()) return {};
    out.merge(s.said.members);
  }
  return out;
}

void instance::shorten(time_point now, deadlines remaining) {
  if (all_arrived) return;
  if (stall_interval == duration::zero())
    soft_at = std::min(soft_at, after(now, std::max(remaining.soft, duration::zero())));
  hard_at = std::min(hard_at, after(now, std::max(remaining.hard, duration::zero())));
}

deadlines instance::remaining(time_point now) const {
  return {std::max(soft_at - now, duration::zero()), std::max(hard_at - now, duration::zero())};
}

rank_set instance::members() const { return said.list().empty() ? abort_members : said.members(); }

rank_set instance::expected(const rank_set& ranks) const {
  const auto of = members();
  return of.empty() ? ranks : ranks.intersection(of);
}

rank_set instance::heard(const tree_shape& tree) const {
  rank_set out;
  if (at == phase::moving ? local_delivered : local.has_value()) out.insert(tree.self);
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (at == phase::moving ? children[i].delivered
                            : children[i].at == child_state::phase::complete)
      out.merge(expected(tree.children[i].ranks));
    else
      out.merge(children[i].heard);
  }
  return out;
}

bool instance::settled(const tree_shape& tree, std::size_t child) const {
  return at == phase::moving ? children[child].delivered : complete(tree, child);
}

bool instance::everyone_delivered(const tree_shape&) const {
  return local_delivered && std::all_of(children.begin(), children.end(),
                                        [](const child_state& c) { return c.delivered; });
}

bool instance::holds_back(combiner how) const {
  if (how == combiner::nothing) return false;
  std::size_t bytes = local ? local->given.bytes() : 0;
  bool some = local && !local->given.held.empty();
  for (const auto& c : children) {
    bytes += c.given.bytes();
    some |= !c.given.held.empty();
  }
  return some || (how == combiner::concatenate && bytes > limits::inline_result_bytes_max);
}

std::vector<held_part> instance::all_held(const tree_shape& tree) const {
  std::vector<held_part> out;
  const auto add = [&out](const muster::contribution& given, const std::vector<rank>& from) {
    out.insert(out.end(), given.held.begin(), given.held.end());
    // One frame per rank, in rank order.
    for (std::size_t i = 0; i < std::min(given.frames.size(), from.size()); ++i)
      out.push_back({from[i], given.frames[i].size(), {}});
  };
  if (local) add(local->given, {tree.self});
  for (std::size_t i = 0; i < children.size(); ++i)
    add(children[i].given, expected(tree.children[i].ranks).members());
  return out;
}

bool instance::complete(const tree_shape& tree, std::size_t child) const {
  return children[child].at == child_state::phase::complete ||
         (!said.list().empty() && !said.members().empty() &&
          expected(tree.children[child].ranks).empty());
}

bool instance::everyone_complete(const tree_shape& tree) const {
  if (!local && (said.list().empty() || expected(rank_set{tree.self}) == rank_set{tree.self}))
    return false;
  for (std::size_t i = 0; i < children.size(); ++i)
    if (!complete(tree, i)) return false;
  return true;
}

bool instance::everyone_answered(const tree_shape& tree) const {
  for (std::size_t i = 0; i < children.size(); ++i)
    if (!children[i].answered && !settled(tree, i)) return false;
  return true;
}

std::vector<contribution> instance::contributions() const {
  std::vector<contribution> out;
  if (local && !local->given.frames.empty()) out.push_back(local->given);
  for (const auto& c : children)
    if (!c.given.frames.empty()) out.push_back(c.given);
  return out;
}

contribution instance::combine(combiner how) const {
  contribution out;
  if (how == combiner::nothing) return out;
  for (auto& given : contributions())
    for (auto& frame : given.frames) out.frames.push_back(std::move(frame));
  return out;
}

}  // namespace muster
