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
}

void host_actor::on(const link_up& e) {
  links_.on_up(e.peer);
  meet_.on_link_up(e.peer);
  for_each_part([&](part& p) {
    if (p.has_neighbour(e.peer)) step(p, peer_connected{e.peer});
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
  if (e.lane != lane::control) return ignore("a message on the bulk lane");
  auto content = decode(e.header, std::move(e.frames));
  if (!content) return ignore("not an envelope: " + content.why().text);
  on_envelope(e.peer, std::move(*content));
}

void host_actor::on(const writable& e) {
  if (e.lane == lane::control) outbox_.flush(*over_, e.peer);
}

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
  part* whose = nullptr;
  for_each_part([&](part& p) {
    if (p.number == content.generation) whose = &p;
  });
  if (whose == nullptr) {
    if (content.generation < table_.generation) return ignore("a message of an older generation");
    if (early_.size() >= limits::early_frames_max)
      return ignore("too many messages of a generation ahead of ours");
    early_.push_back({from, std::move(content)});
    return;
  }
  if (gathering_ && whose == &*gathering_ && current_ && config_.self != rank{0})
    star_until_ = after(now_, config_.lease);
  step(*whose, received{from, content.decided_through, std::move(content.body)});
}

}  // namespace muster
