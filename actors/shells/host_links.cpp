// The host actor and its transport: links come and go, messages find the core of their generation.
#include <algorithm>
#include <utility>

#include <muster/actors/shells/host_actor.hpp>
#include <muster/messages/wire/codec.hpp>

namespace muster {

bool host_actor::part::has_neighbour(rank who) const {
  if (core.parent() == who) return true;
  const auto& children = core.children();
  return std::find(children.begin(), children.end(), who) != children.end();
}

void host_actor::for_each_part(const std::function<void(part&)>& f) {
  if (gathering_) f(*gathering_);
  if (current_) f(*current_);
  for (auto& [name, p] : groups_) f(p);
}

host_actor::part* host_actor::find_part(muster::generation number, const rank_set& group) {
  if (group.empty()) {
    if (current_ && current_->number == number) return &*current_;
    return gathering_ && gathering_->number == number ? &*gathering_ : nullptr;
  }
  if (!current_ || current_->number != number) return nullptr;
  const auto found = groups_.find(group.encode());
  return found == groups_.end() ? nullptr : &found->second;
}

host_actor::part* host_actor::open_group(const rank_set& group) {
  if (!current_ || !group.contains(config_.self) ||
      group.ranges().back().last >= config_.world_size)
    return nullptr;
  if (auto* open = find_part(current_->number, group)) return open;
  if (groups_.size() == limits::groups_max) return nullptr;
  auto& p =
      groups_
          .emplace(group.encode(),
                   part{current_->number, group,
                        collective(options_of(current_->number, config_.fan_out, group), now_)})
          .first->second;
  if (fenced_) {
    step(p, give_up{"this host is fenced"});
    return &p;
  }
  keep_links(p);
  // The others of the group hear that this host leaves, as those of the world do.
  if (current_->core.leaving()) {
    arrive farewell;
    farewell.said.kind = op_kind::leave;
    step(p, std::move(farewell));
  }
  return &p;
}

void host_actor::keep_links(part& p) {
  for (const auto& m : table_.members) {
    if (!p.has_neighbour(m.rank)) continue;
    links_.keep_or_redial(now_, m.rank, {m.control_endpoint, m.bulk_endpoint}, m.incarnation);
    if (links_.is_up(m.rank)) step(p, peer_connected{m.rank});
  }
}

bool host_actor::needs_link(rank peer) const {
  return bulk_peers_.contains(peer) || needs_link_of_tree(peer);
}

bool host_actor::needs_link_of_tree(rank peer) const {
  if (current_ && current_->has_neighbour(peer)) return true;
  return std::any_of(groups_.begin(), groups_.end(),
                     [&](const auto& g) { return g.second.has_neighbour(peer); });
}

void host_actor::on(const link_up& e) {
  links_.on_up(e.peer);
  meet_.on_link_up(e.peer);
  for_each_part([&](part& p) {
    if (p.has_neighbour(e.peer)) step(p, peer_connected{e.peer});
    reconnect_moves(p, e.peer);
  });
}

void host_actor::on(const link_down& e) {
  outbox_.drop(e.peer);
  if (!links_.on_down(now_, e.peer)) return;
  if (joined_) dial(meet_.on_link_down(e.peer, e.why, e.attempts));
  for_each_part([&](part& p) {
    if (p.has_neighbour(e.peer)) step(p, peer_disconnected{e.peer});
  });
}

void host_actor::on(const link_refused& e) {
  outbox_.drop(e.peer);
  links_.hang_up(e.peer);
  if (joined_ && (e.peer == rank{0} || e.peer == launcher_rank)) return fail_join(e.why);
  if (config_.observer.notice)
    config_.observer.notice(to_string(e.peer) + " refuses us: " + to_string(e.why));
  for_each_part([&](part& p) {
    if (p.has_neighbour(e.peer)) step(p, peer_disconnected{e.peer});
  });
}

/// A host that joins dials the root, and the root dials it back to answer.
void host_actor::on(const peer_heard& e) {
  if (e.peer == launcher_rank) return;
  if (e.peer.value >= config_.world_size || e.peer == config_.self)
    return ignore("a hello of a rank that is not another one of this world");
  heard_[e.peer] = {e.incarnation, e.endpoints};
  if (gathering_ && !current_ && gathering_->has_neighbour(e.peer) && config_.self == rank{0})
    links_.keep(now_, e.peer, e.endpoints, e.incarnation);
}

void host_actor::on(message_received& e) {
  auto content = decode(e.header, std::move(e.frames));
  if (!content) return ignore("not an envelope: " + content.why().text);
  if ((e.lane == lane::bulk) != std::holds_alternative<chunk>(content->body))
    return ignore("a message on the lane of others");
  on_envelope(e.peer, std::move(*content));
}

void host_actor::on(const writable& e) { outbox_.flush(*over_, e.peer, e.lane); }

void host_actor::on_envelope(rank from, envelope content) {
  if (const auto* answer = std::get_if<root_at>(&content.body)) {
    if (from != launcher_rank)
      return ignore("a root's address from somebody who is not the launcher");
    if (joined_) dial(meet_.on_root_at(*answer));
    return;
  }
  if (from.value >= config_.world_size)
    return ignore("a message of a rank that is not of this world");
  if (current_) {
    const auto heard = heard_.find(from);
    if (heard == heard_.end() ||
        heard->second.incarnation != table_.members[from.value].incarnation)
      return ignore("a message of a life that is not in the table");
  }
  part* whose = find_part(content.generation, content.group);
  if (whose == nullptr && current_ && content.generation == current_->number &&
      content.group.contains(from))
    whose = open_group(content.group);
  if (whose == nullptr) {
    if (current_ && content.generation == current_->number)
      return ignore("a message of a group that this host is not in, or of one too many");
    if (content.generation < table_.generation) return ignore("a message of an older generation");
    if (early_.size() >= limits::early_frames_max)
      return ignore("too many messages of a generation ahead of ours");
    early_.push_back({from, std::move(content)});
    return;
  }
  if (gathering_ && whose == &*gathering_ && current_ && config_.self != rank{0})
    star_until_ = after(now_, config_.lease);
  if (std::holds_alternative<chunk>(content.body) ||
      std::holds_alternative<chunk_ack>(content.body))
    return on_bulk(*whose, from, content.body);
  step(*whose, received{from, content.decided_through, std::move(content.body)});
}

}  // namespace muster
