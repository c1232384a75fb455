#include <muster/actors/shells/link_table.hpp>

#include <utility>

namespace muster {

void link_table::dial(time_point now, rank peer, kept& k) {
  k.up = false;
  k.next.reset();
  over_.dial(now, peer, k.now.where, k.now.who);
}

void link_table::keep(time_point now, rank peer, endpoints where, std::optional<incarnation> who) {
  target wanted{std::move(where), who};
  auto [at, fresh] = kept_.try_emplace(peer);
  if (!fresh && at->second.now == wanted) return;
  at->second.now = std::move(wanted);
  dial(now, peer, at->second);
}

void link_table::keep_or_redial(time_point now, rank peer, endpoints where,
                                std::optional<incarnation> who) {
  auto found = kept_.find(peer);
  if (found == kept_.end() || !found->second.up) return keep(now, peer, std::move(where), who);
  target wanted{std::move(where), who};
  if (found->second.now != wanted) found->second.next = std::move(wanted);
}

void link_table::hang_up(rank peer) {
  if (kept_.erase(peer) != 0) over_.hang_up(peer);
}

void link_table::hang_up_all() {
  for (const auto& [peer, k] : kept_) over_.hang_up(peer);
  kept_.clear();
}

void link_table::remake(time_point now, rank peer) {
  auto found = kept_.find(peer);
  if (found == kept_.end()) return;
  over_.hang_up(peer);
  if (found->second.next) found->second.now = *found->second.next;
  dial(now, peer, found->second);
}

void link_table::on_up(rank peer) {
  if (auto found = kept_.find(peer); found != kept_.end()) found->second.up = true;
}

bool link_table::on_down(time_point now, rank peer) {
  auto found = kept_.find(peer);
  if (found == kept_.end()) return false;
  found->second.up = false;
  if (found->second.next) {
    found->second.now = *found->second.next;
    dial(now, peer, found->second);
  }
  return true;
}

bool link_table::is_up(rank peer) const {
  auto found = kept_.find(peer);
  return found != kept_.end() && found->second.up;
}

std::set<rank> link_table::peers() const {
  std::set<rank> out;
  for (const auto& [peer, k] : kept_) out.insert(peer);
  return out;
}

}  // namespace muster
