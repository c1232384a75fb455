#include <muster/actors/protocols/verdict_log.hpp>

#include <algorithm>

#include <muster/messages/values/ensure.hpp>

namespace muster {

void verdict_log::append(const verdict& v) {
  ensure(v.number.value == applied_.value + 1, "verdicts are applied in order of number");
  applied_ = v.number;
  if (acknowledged_.empty()) return;
  last_of_[v.key] = v.number;
  entries_.push_back(v);
}

void verdict_log::acknowledge(std::size_t child, verdict_number number) {
  if (number <= acknowledged_[child]) return;
  acknowledged_[child] = number;
  forget();
}

bool verdict_log::acknowledged_by_all(verdict_number number) const {
  return std::all_of(acknowledged_.begin(), acknowledged_.end(),
                     [&](auto a) { return a >= number; });
}

bool verdict_log::decided_after(const operation_key& key, verdict_number number) const {
  const auto it = last_of_.find(key);
  return it != last_of_.end() && it->second > number;
}

std::vector<const verdict*> verdict_log::unacknowledged_by(std::size_t child) const {
  std::vector<const verdict*> out;
  for (const auto& v : entries_)
    if (v.number > acknowledged_[child]) out.push_back(&v);
  return out;
}

void verdict_log::forget() {
  const auto through = *std::min_element(acknowledged_.begin(), acknowledged_.end());
  while (!entries_.empty() && entries_.front().number <= through) {
    const auto& oldest = entries_.front();
    const auto it = last_of_.find(oldest.key);
    if (it != last_of_.end() && it->second == oldest.number) last_of_.erase(it);
    entries_.pop_front();
  }
}

}  // namespace muster
