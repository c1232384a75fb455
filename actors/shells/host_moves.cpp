// The host actor and the data that operations hold back: from host to host on the bulk lane, stored and folded on the
// first device.
#include <algorithm>
#include <utility>

#include <muster/actors/shells/device_messages.hpp>
#include <muster/actors/shells/host_actor.hpp>
#include <muster/messages/wire/codec.hpp>

namespace muster {

/// What is large stays here, and the core is told of it. Of gathers all stays here, since others may be large.
void host_actor::hold_back(muster::arrive& call) {
  const auto how = combiner_of(call.said.kind);
  const bool large = bulk_move::holds_back(call.said, call.contribution);
  if (!large && how != combiner::concatenate) return;
  auto& given = given_[call.ticket] = call.contribution;
  if (large && (how == combiner::fold || !given.frames.empty()))
    call.contribution = bulk_move::stand_in(call.said, given, config_.self);
}

bulk_move* host_actor::find_move(part& p, const operation_key& key) {
  const auto found = p.moves.find(key);
  return found == p.moves.end() ? nullptr : &found->second;
}

void host_actor::carry_out(part& p, move_data& e) {
  auto& move = p.moves[e.key];
  if (const auto* ordered = std::get_if<ordered_key>(&e.key))
    p.moved_through = std::max(p.moved_through, ordered->sequence);
  auto given = given_.extract(e.ticket);
  auto orders = move.begin(e.said, std::move(e.held), p.core.members(), config_.self,
                           given.empty() ? contribution{} : std::move(given.mapped()));
  for (const auto peer : move.peers()) {
    if (!bulk_peers_.insert(peer).second || needs_link_of_tree(peer)) continue;
    const auto& m = table_.members[peer.value];
    links_.keep_or_redial(now_, peer, {m.control_endpoint, m.bulk_endpoint}, m.incarnation);
  }
  obey(p, e.key, std::move(orders));
}

/// A chunk or its acknowledgement. One that comes before the order to move is kept.
void host_actor::on_bulk(part& p, rank from, const message& body) {
  const auto* c = std::get_if<chunk>(&body);
  const auto* a = std::get_if<chunk_ack>(&body);
  const auto& key = c ? c->key : a->key;
  auto* move = find_move(p, key);
  if (move == nullptr) {
    const auto* ordered = std::get_if<ordered_key>(&key);
    if (a || !ordered || ordered->sequence <= p.moved_through ||
        p.moves.size() >= limits::pending_operations_max)
      return ignore("data of an operation that has ended");
    move = &p.moves[key];
  }
  obey(p, key, c ? move->received(from, *c) : move->acknowledged(from, *a));
}

void host_actor::obey(part& p, const operation_key& key, bulk_move::orders orders) {
  for (auto& c : orders.chunks)
    transmit(c.to, lane::bulk,
             encode({p.number, {}, chunk{key, c.stream, c.offset, std::move(c.bytes)}, p.group}));
  for (const auto& a : orders.acks)
    transmit(a.to, lane::control,
             encode({p.number, {}, chunk_ack{key, a.stream, a.offset}, p.group}));
  for (auto& c : orders.copies) store(p, key, std::move(c));
  if (orders.fold) fold_slice(p, key, std::move(*orders.fold));
  if (orders.finished)
    step(p, moved{key, std::move(*orders.finished)});  // last: it may end the move
}

/// One batch of copies runs on the device at a time; what comes meanwhile is the next one.
void host_actor::store(const part& p, const operation_key& key, bulk_move::copy what) {
  copies_waiting_.push_back({p.number, p.group, key, std::move(what)});
  if (!storing_) store_batch();
}

void host_actor::store_batch() {
  storing_ = true;
  const auto batch =
      std::make_shared<std::vector<pending_copy>>(std::exchange(copies_waiting_, {}));
  auto finished = [this, batch](const status& outcome) {
    advance_time();
    for (const auto& c : *batch) {
      auto* asked = find_part(c.number, c.group);
      auto* move = asked ? find_move(*asked, c.key) : nullptr;
      if (move == nullptr) continue;
      if (outcome.ok())
        obey(*asked, c.key, move->stored(c.what.stream, c.what.end));
      else
        step(*asked, moved{c.key, outcome});
    }
    storing_ = false;
    if (!copies_waiting_.empty()) store_batch();
  };
  auto run = [batch] {
    for (auto& c : *batch) std::exchange(c.what.run, {})();
  };
  request(config_.devices.front(), caf::infinite,
          launch_kernel{"store chunks", std::move(run), 0, {}})
      .then(
          [this, finished](launch_done& d) {
            after_sender();
            finished(d.outcome);
          },
          [finished](caf::error&) {
            finished(error(status_code::device_error,
                           "device 0 of this host has ended; it stores what hosts send"));
          });
}

void host_actor::fold_slice(const part& p, const operation_key& key, bulk_move::fold_slice what) {
  fold_on_device({std::move(what.said), true, std::move(what.inputs), {}},
                 [this, number = p.number, group = p.group, key](const status& outcome,
                                                                 const contribution& made) {
                   auto* asked = find_part(number, group);
                   if (auto* move = asked ? find_move(*asked, key) : nullptr)
                     obey(*asked, key, move->folded(outcome, made));
                 });
}

/// What a call that has succeeded results in, where its data has moved; and the end of what was kept for it.
void host_actor::end_move(part& p, release& e) {
  given_.erase(e.ticket);
  // What peers still send of it is no news any more.
  if (const auto* ordered = std::get_if<ordered_key>(&e.key))
    p.moved_through = std::max(p.moved_through, ordered->sequence);
  const auto found = p.moves.find(e.key);
  if (found == p.moves.end()) return;
  if (e.outcome.ok() && found->second.begun()) e.result = found->second.result();
  p.moves.erase(found);
}

void host_actor::reconnect_moves(part& p, rank peer) {
  std::vector<operation_key> keys;  // copied: what a move orders may end it
  for (const auto& [key, move] : p.moves) keys.push_back(key);
  for (const auto& key : keys)
    if (auto* move = find_move(p, key)) obey(p, key, move->connected(peer));
}

}  // namespace muster
