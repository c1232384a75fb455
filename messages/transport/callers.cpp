#include <muster/messages/transport/callers.hpp>

#include <muster/messages/values/limits.hpp>

namespace muster {

callers::speaker callers::find(const caller_id& who) const {
  const auto known = ranks_.find(who);
  if (known == ranks_.end()) return {};
  const rank from = known->second;
  const auto& life = current_.at(from);
  if (life.lanes[static_cast<std::size_t>(who.lane)] != who) return {standing::stale, from};
  return {life.whole() ? standing::current : standing::halfway, from};
}

callers::standing callers::admit(const caller_id& who, const hello& said) {
  auto& life = current_[said.rank];
  auto& lane = life.lanes[static_cast<std::size_t>(who.lane)];
  const bool same = life.incarnation == said.incarnation && life.number != 0;
  ranks_.insert_or_assign(who, said.rank);
  if (same && (said.life < life.number || (said.life == life.number && lane))) {
    replace(who);
    return standing::stale;
  }
  if (!same || said.life != life.number) {
    for (auto& old : life.lanes)
      if (old) replace(*old);
    life = {said.incarnation, said.life, {}};
  }
  lane = who;
  return life.whole() ? standing::current : standing::halfway;
}

void callers::replace(const caller_id& who) {
  replaced_.push_back(who);
  if (replaced_.size() <= limits::replaced_callers_max) return;
  ranks_.erase(replaced_.front());
  replaced_.pop_front();
}

}  // namespace muster
