#include <muster/actors/protocols/bulk_exchange.hpp>

#include <algorithm>
#include <utility>

#include <muster/messages/values/ensure.hpp>

namespace muster {
bulk_exchange::stream* bulk_exchange::find(std::uint32_t id) {
  const auto it = streams_.find(id);
  return it == streams_.end() ? nullptr : &it->second;
}

bulk_effects bulk_exchange::add(const stream_plan& plan, std::vector<payload> content) {
  stream s;
  s.plan = plan;
  for (const auto to : plan.to) s.peers.push_back({to, 0, 0});
  if (!plan.from) {
    for (auto& bytes : content) {
      if (bytes.empty()) continue;
      s.pieces.push_back({s.received, std::move(bytes)});
      s.received = s.pieces.back().end();
    }
    ensure(s.received == plan.bytes || s.peers.empty(), "a stream's content has its length");
    s.stored = s.received;
  }
  auto& added = streams_.emplace(plan.id, std::move(s)).first->second;
  bulk_effects out;
  if (plan.from && plan.bytes == 0) out.push_back(stream_stored{plan.id});
  pump(added, out);
  std::vector<early> waiting;
  for (auto& e : early_)
    if (e.stream == plan.id) waiting.push_back(std::move(e));
  std::erase_if(early_, [&](const early& e) { return e.stream == plan.id; });
  for (auto& e : waiting)
    for (auto& effect : received(e.from, e.stream, e.offset, std::move(e.bytes)))
      out.push_back(std::move(effect));
  return out;
}

bulk_effects bulk_exchange::received(rank from, std::uint32_t id, std::uint64_t offset,
                                     payload bytes) {
  auto* s = find(id);
  if (s == nullptr) {
    std::size_t kept = bytes.size();
    for (const auto& e : early_)
      if (e.from == from) kept += e.bytes.size();
    if (kept <= early_bytes_max) early_.push_back({from, id, offset, std::move(bytes)});
    return {};
  }
  bulk_effects out;
  if (s->plan.from != from || bytes.empty() || offset > s->received ||
      bytes.size() > s->plan.bytes - offset)
    return out;
  if (offset + bytes.size() <= s->received) {
    // Sent again, since our word of it was lost.
    out.push_back(send_chunk_ack{from, id, s->told});
    return out;
  }
  const auto skip = s->received - offset;  // a part may have come before
  auto fresh = bytes.part(skip, bytes.size() - skip);
  const auto at = std::exchange(s->received, offset + bytes.size());
  if (!s->peers.empty()) s->pieces.push_back({at, fresh});
  out.push_back(store_chunk{id, at, std::move(fresh)});
  pump(*s, out);
  return out;
}

bulk_effects bulk_exchange::stored(std::uint32_t id, std::uint64_t offset) {
  bulk_effects out;
  auto* s = find(id);
  if (s == nullptr || !s->plan.from || offset <= s->stored || offset > s->received) return out;
  s->stored = offset;
  acknowledge(*s, out);
  if (s->stored == s->plan.bytes) out.push_back(stream_stored{id});
  return out;
}

bulk_effects bulk_exchange::acknowledged(rank from, std::uint32_t id, std::uint64_t offset) {
  bulk_effects out;
  auto* s = find(id);
  if (s == nullptr) return out;
  const auto p = std::ranges::find(s->peers, from, &peer::who);
  if (p == s->peers.end() || offset <= p->acked || offset > s->received) return out;
  p->acked = offset;
  p->sent = std::max(p->sent, offset);  // sent on a link that was given up, and there all the same
  forget(*s);
  pump(*s, out);
  return out;
}

bulk_effects bulk_exchange::connected(rank who) {
  bulk_effects out;
  for (auto& [id, s] : streams_) {
    if (s.plan.from == who && s.told > 0) out.push_back(send_chunk_ack{who, id, s.told});
    for (auto& p : s.peers)
      if (p.who == who) p.sent = p.acked;
    pump(s, out);
  }
  return out;
}

bool bulk_exchange::all_stored() const {
  return std::all_of(streams_.begin(), streams_.end(), [](const auto& entry) {
    const auto& s = entry.second;
    return !s.plan.from || s.stored == s.plan.bytes;
  });
}

std::size_t bulk_exchange::kept_bytes() const {
  std::size_t out = 0;
  for (const auto& e : early_) out += e.bytes.size();
  for (const auto& [id, s] : streams_)
    if (s.plan.from)
      for (const auto& p : s.pieces) out += p.bytes.size();
  return out;
}

/// Sends what the windows allow.
void bulk_exchange::pump(stream& s, bulk_effects& out) const {
  for (auto& p : s.peers) {
    auto next = std::upper_bound(s.pieces.begin(), s.pieces.end(), p.sent,
                                 [](std::uint64_t at, const auto& e) { return at < e.end(); });
    while (next != s.pieces.end() && p.sent - p.acked < options_.window_bytes) {
      const auto within = p.sent - next->offset;
      const auto size = std::min<std::uint64_t>(options_.chunk_bytes, next->bytes.size() - within);
      out.push_back(send_chunk{p.who, s.plan.id, p.sent, next->bytes.part(within, size)});
      p.sent += size;
      if (p.sent == next->end()) ++next;
    }
  }
  if (s.plan.from) acknowledge(s, out);
}

/// Drops what every peer has.
void bulk_exchange::forget(stream& s) const {
  if (!s.plan.from) return;  // a source may need all of it
  std::uint64_t least = s.received;
  for (const auto& p : s.peers) least = std::min(least, p.acked);
  while (!s.pieces.empty() && s.pieces.front().end() <= least) s.pieces.pop_front();
}

/// Says what is stored and on its way to all peers, when that is news: who passes on more slowly than it gets slows the
/// sender down, instead of keeping what comes.
void bulk_exchange::acknowledge(stream& s, bulk_effects& out) const {
  auto through = s.stored;
  for (const auto& p : s.peers) through = std::min(through, p.sent);
  if (through <= s.told) return;
  s.told = through;
  out.push_back(send_chunk_ack{*s.plan.from, s.plan.id, through});
}

}  // namespace muster
