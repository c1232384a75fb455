#include <muster/actors/protocols/untaken_table.hpp>

#include <algorithm>

#include <muster/messages/values/limits.hpp>

namespace muster {

void untaken_table::add(const operation_key& key, const status& outcome) {
  if (const auto* named = std::get_if<named_key>(&key)) {
    named_[*named].push_back(outcome);
    ++size_;
    return;
  }
  const auto number = std::get<ordered_key>(key).sequence;
  if (outcome.code == status_code::straggler_behind && !ordered_.empty() &&
      ordered_.back().last + 1 == number && ordered_.back().outcome.code == outcome.code) {
    ordered_.back().last = number;
    return;
  }
  // Verdicts come in order of decision, which for ordered operations may differ from their numbers.
  const auto place = std::find_if(ordered_.begin(), ordered_.end(),
                                  [&](const interval& i) { return i.first > number; });
  ordered_.insert(place, {number, number, outcome});
  ++size_;
}

std::optional<status> untaken_table::take(const operation_key& key) {
  if (const auto* named = std::get_if<named_key>(&key)) {
    const auto it = named_.find(*named);
    if (it == named_.end()) return std::nullopt;
    status oldest = std::move(it->second.front());
    it->second.pop_front();
    if (it->second.empty()) named_.erase(it);
    --size_;
    return oldest;
  }
  const auto number = std::get<ordered_key>(key).sequence;
  const auto it = std::find_if(ordered_.begin(), ordered_.end(), [&](const interval& i) {
    return i.first <= number && number <= i.last;
  });
  if (it == ordered_.end()) return std::nullopt;
  status outcome = it->outcome;
  // A member calls its numbers in order: what is below this one will not be asked for again.
  it->first = number + 1;
  if (it->first > it->last) {
    ordered_.erase(it);
    --size_;
  }
  return outcome;
}

behind untaken_table::limits_reached(rank self) const {
  behind out{self, {}, false, size_ >= limits::untaken_total_max};
  for (const auto& [name, outcomes] : named_)
    if (outcomes.size() >= limits::untaken_rounds_max) out.names.emplace_back(name);
  out.ordered = ordered_.size() >= limits::untaken_rounds_max;
  return out;
}

}  // namespace muster
