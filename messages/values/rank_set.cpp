#include <algorithm>
#include <utility>

#include <muster/messages/values/rank_set.hpp>

namespace muster {

namespace {

using range = rank_set::range;

/// Whether `a` ends before `first` and they do not even touch.
bool ends_apart_before(const range& a, std::uint64_t first) {
  return std::uint64_t{a.last} + 1 < first;
}

/// Adds a range that starts at or after the last one's start.
void append(std::vector<range>& ranges, range r) {
  if (ranges.empty() || ends_apart_before(ranges.back(), r.first))
    ranges.push_back(r);
  else
    ranges.back().last = std::max(ranges.back().last, r.last);
}

}  // namespace

rank_set::rank_set(std::initializer_list<rank> ranks) {
  for (rank r : ranks) insert(r);
}

rank_set rank_set::of_range(rank first, rank last) {
  rank_set s;
  s.insert_range(first, last);
  return s;
}

void rank_set::insert(rank r) { insert_range(r, r); }

void rank_set::insert_range(rank first, rank last) {
  if (last < first) return;
  range added{first.value, last.value};
  if (ranges_.empty() || ends_apart_before(ranges_.back(), added.first)) {
    ranges_.push_back(added);
    return;
  }
  // All ranges that overlap or touch the new one become one.
  auto from = std::lower_bound(ranges_.begin(), ranges_.end(), std::uint64_t{added.first},
                               ends_apart_before);
  auto to = from;
  while (to != ranges_.end() && to->first <= std::uint64_t{added.last} + 1) {
    added.first = std::min(added.first, to->first);
    added.last = std::max(added.last, to->last);
    ++to;
  }
  if (from == to) {
    ranges_.insert(from, added);
  } else {
    *from = added;
    ranges_.erase(from + 1, to);
  }
}

void rank_set::erase(rank r) {
  auto it = std::lower_bound(ranges_.begin(), ranges_.end(), r.value,
                             [](const range& a, std::uint32_t v) { return a.last < v; });
  if (it == ranges_.end() || it->first > r.value) return;
  const range old = *it;
  if (old.first == old.last) {
    ranges_.erase(it);
  } else if (old.first == r.value) {
    ++it->first;
  } else if (old.last == r.value) {
    --it->last;
  } else {
    it->last = r.value - 1;
    ranges_.insert(it + 1, {r.value + 1, old.last});
  }
}

void rank_set::merge(const rank_set& other) {
  if (other.empty()) return;
  std::vector<range> both;
  both.reserve(ranges_.size() + other.ranges_.size());
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() || b != other.ranges_.end()) {
    const bool take_a = b == other.ranges_.end() || (a != ranges_.end() && a->first <= b->first);
    append(both, take_a ? *a++ : *b++);
  }
  ranges_ = std::move(both);
}

bool rank_set::contains(rank r) const {
  auto it = std::lower_bound(ranges_.begin(), ranges_.end(), r.value,
                             [](const range& a, std::uint32_t v) { return a.last < v; });
  return it != ranges_.end() && it->first <= r.value;
}

std::uint64_t rank_set::size() const {
  std::uint64_t n = 0;
  for (const auto& r : ranges_) n += std::uint64_t{r.last} - r.first + 1;
  return n;
}

std::vector<rank> rank_set::members() const {
  std::vector<rank> out;
  out.reserve(size());
  for (const auto& r : ranges_) {
    for (std::uint64_t v = r.first; v <= r.last; ++v)
      out.push_back(rank{static_cast<std::uint32_t>(v)});
  }
  return out;
}

rank_set rank_set::minus(const rank_set& other) const {
  rank_set out;
  auto hole = other.ranges_.begin();
  for (const auto& r : ranges_) {
    std::uint64_t next = r.first;  // the first rank of r that is still undecided
    while (hole != other.ranges_.end() && hole->last < next) ++hole;
    for (auto h = hole; h != other.ranges_.end() && h->first <= r.last; ++h) {
      if (h->first > next) out.ranges_.push_back({static_cast<std::uint32_t>(next), h->first - 1});
      next = std::uint64_t{h->last} + 1;
      hole = h;
    }
    if (next <= r.last) out.ranges_.push_back({static_cast<std::uint32_t>(next), r.last});
  }
  return out;
}

rank_set rank_set::intersection(const rank_set& other) const {
  rank_set out;
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    const range common{std::max(a->first, b->first), std::min(a->last, b->last)};
    if (common.first <= common.last) out.ranges_.push_back(common);
    if (a->last < b->last)
      ++a;
    else
      ++b;
  }
  return out;
}

std::string to_string(const rank_set& s, std::size_t ranges_max) {
  if (s.empty()) return "none";
  std::string out;
  std::size_t shown = 0;
  for (const auto& r : s.ranges()) {
    if (shown > 0) out += ',';
    if (shown++ == ranges_max) return out + "... (" + std::to_string(s.size()) + " ranks)";
    out += std::to_string(r.first);
    if (r.last != r.first) (out += '-') += std::to_string(r.last);
  }
  return out;
}

}  // namespace muster
