#include <muster/messages/values/layouts/relayout.hpp>

#include <algorithm>
#include <set>
#include <tuple>

#include <muster/messages/values/layouts/index_map.hpp>
#include <muster/messages/values/layouts/text_cursor.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

/// The same devices on the same hosts; the error names the first that differs.
status check_same_devices(const mesh& from, const mesh& to) {
  const auto sorted = [](const mesh& m) {
    std::vector<mesh_device> out(m.devices().begin(), m.devices().end());
    std::ranges::sort(out, {}, [](const auto& d) { return std::pair(d.index, d.host); });
    return out;
  };
  const auto a = sorted(from), b = sorted(to);
  const auto shown = [](const auto& all, std::size_t i) {
    if (i >= all.size()) return std::string("none");
    return "device " + std::to_string(all[i].index.value) + " of host " + to_string(all[i].host);
  };
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    if (i >= a.size() || i >= b.size() || a[i] != b[i])
      return invalid_argument("a relayout keeps the devices: in ascending order, number " +
                              std::to_string(i) + " is " + shown(a, i) + " before and " +
                              shown(b, i) + " afterwards");
  return {};
}

/// Per target shard of one dimension, the source shards [first, last) that share elements with it.
std::vector<std::pair<std::size_t, std::size_t>> overlaps(const std::vector<index_range>& from,
                                                          const std::vector<index_range>& to) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (const auto& wanted : to) {
    std::size_t first = 0, last = 0;
    if (wanted.size() > 0) {  // shards are in order, and the empty ones are the last
      const auto after = [](std::int64_t at, const index_range& r) { return at < r.last; };
      first = static_cast<std::size_t>(
          std::upper_bound(from.begin(), from.end(), wanted.first, after) - from.begin());
      last = 1 +
             static_cast<std::size_t>(
                 std::upper_bound(from.begin(), from.end(), wanted.last - 1, after) - from.begin());
    }
    out.emplace_back(first, last);
  }
  return out;
}

/// Who holds each source shard, and who of them sends next.
class senders {
 public:
  senders(const mesh& over, const index_map& map)
      : over_(over), sent_(over.size()), holders_(static_cast<std::size_t>(map.shard_count())) {
    for (std::size_t p = 0; p < over.size(); ++p)
      holders_[static_cast<std::size_t>(map.shard(p))].insert(key(p));
    by_host_.resize(holders_.size());
    for (std::size_t s = 0; s < holders_.size(); ++s) {
      for (const auto& k : holders_[s]) by_host_[s].push_back(std::get<2>(k));
      std::ranges::sort(by_host_[s], {}, [&](auto p) { return over.devices()[p].host; });
    }
  }

  /// The position that sends so many elements of a shard to a host.
  std::size_t choose(std::size_t shard, rank to, std::int64_t elements) {
    auto chosen = std::get<2>(*holders_[shard].begin());
    const auto host_of = [&](auto p) { return over_.devices()[p].host; };
    const auto first = std::ranges::lower_bound(by_host_[shard], to, {}, host_of);
    const auto last = std::ranges::upper_bound(by_host_[shard], to, {}, host_of);
    if (first != last)
      chosen = *std::min_element(first, last, [&](auto a, auto b) { return key(a) < key(b); });
    holders_[shard].erase(key(chosen));
    sent_[chosen] += elements;
    holders_[shard].insert(key(chosen));
    return chosen;
  }

 private:
  using order = std::tuple<std::int64_t, device_index, std::size_t>;
  [[nodiscard]] order key(std::size_t p) const { return {sent_[p], over_.devices()[p].index, p}; }

  const mesh& over_;
  std::vector<std::int64_t> sent_;
  std::vector<std::set<order>> holders_;           // by shard: least sent first
  std::vector<std::vector<std::size_t>> by_host_;  // by shard: positions, sorted by host
};

class planner {
 public:
  planner(const layout& from, const layout& to, const index_map& held, const index_map& wanted)
      : from_(from), to_(to), held_(held), wanted_(wanted), senders_(from.mesh(), held) {
    for (std::size_t d = 0; d < from.rank(); ++d)
      overlaps_.push_back(overlaps(held.ranges()[d], wanted.ranges()[d]));
  }

  status plan() {
    if (auto why = check_size(); !why.ok()) return why;
    for (std::size_t p = 0; p < to_.mesh().size(); ++p) plan_device(p);
    return {};
  }
  relayout_plan made;

 private:
  using shard_ranges = std::vector<std::pair<std::size_t, std::size_t>>;

  /// The source shards along each dimension that a target shard draws from.
  [[nodiscard]] shard_ranges sources_of(std::int64_t shard) const {
    shard_ranges out(overlaps_.size());
    for (std::size_t d = out.size(); d-- > 0;) {
      const auto k = static_cast<std::int64_t>(overlaps_[d].size());
      out[d] = overlaps_[d][static_cast<std::size_t>(shard % k)];
      shard /= k;
    }
    return out;
  }

  [[nodiscard]] status check_size() const {
    std::size_t steps = 0;
    for (std::size_t p = 0; p < to_.mesh().size() && steps <= limits::relayout_steps_max; ++p) {
      std::size_t cells = 1;
      for (const auto& [first, last] : sources_of(wanted_.shard(p)))
        cells = std::min(cells * (last - first), limits::relayout_steps_max + 1);
      steps += cells;
    }
    if (steps <= limits::relayout_steps_max) return {};
    return error(status_code::resource_exhausted,
                 "the relayout from " + to_string(from_.spec()) + " to " + to_string(to_.spec()) +
                     " over " + std::to_string(to_.mesh().size()) + " devices takes more than " +
                     std::to_string(limits::relayout_steps_max) + " steps");
  }

  void plan_device(std::size_t position) {
    const auto sources = sources_of(wanted_.shard(position));
    std::vector<std::size_t> cell;
    for (const auto& [first, last] : sources) {
      if (first == last) return;  // it holds nothing afterwards
      cell.push_back(first);
    }
    for (;;) {
      plan_cell(position, cell);
      std::size_t d = cell.size();
      while (d > 0 && ++cell[d - 1] == sources[d - 1].second) {
        cell[d - 1] = sources[d - 1].first;
        --d;
      }
      if (d == 0) return;
    }
  }

  void plan_cell(std::size_t position, const std::vector<std::size_t>& cell) {
    const auto& target = to_.mesh().devices()[position];
    auto slice = wanted_.slice(position);
    std::size_t shard = 0;
    for (std::size_t d = 0; d < cell.size(); ++d) {
      const auto& held = held_.ranges()[d];
      shard = shard * held.size() + cell[d];
      slice[d].first = std::max(slice[d].first, held[cell[d]].first);
      slice[d].last = std::min(slice[d].last, held[cell[d]].last);
    }
    const auto elements = element_count(slice);
    const auto own = *from_.mesh().position_of(target.index);
    if (static_cast<std::size_t>(held_.shard(own)) == shard) {
      made.kept += elements;
      return made.steps.push_back({target.index, target.index, std::move(slice)});
    }
    const auto& sender = from_.mesh().devices()[senders_.choose(shard, target.host, elements)];
    made.moved += elements;
    if (sender.host != target.host) made.moved_between_hosts += elements;
    made.steps.push_back({sender.index, target.index, std::move(slice)});
  }

  const layout& from_;
  const layout& to_;
  const index_map& held_;
  const index_map& wanted_;
  senders senders_;
  std::vector<shard_ranges> overlaps_;  // per dimension, per target shard
};

}  // namespace

result<relayout_plan> plan_relayout(const layout& from, const layout& to,
                                    const shape_vector& global) {
  if (auto why = check_same_devices(from.mesh(), to.mesh()); !why.ok()) return why;
  const auto held = index_map::of(from, global);
  if (!held) return held.why();
  const auto wanted = index_map::of(to, global);
  if (!wanted) return wanted.why();
  planner planning(from, to, *held, *wanted);
  if (auto why = planning.plan(); !why.ok()) return why;
  return std::move(planning.made);
}

}  // namespace muster
