// Transports that hand messages to each other in memory, at once and in order: what host actors need to be
// tested without sockets. An endpoint is "fake:<rank>"; cutting a link is a call.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <muster/messages/transport/transport.hpp>

namespace muster::testing {

class fake_transport;

class fake_network {
 public:
  std::map<std::string, fake_transport*> bound;
};

class fake_transport final : public transport {
 public:
  fake_transport(fake_network& net, transport_identity who) : net_(net), who_(std::move(who)) {
    net_.bound[local().control] = this;
  }
  ~fake_transport() override { close(); }

  endpoints local() const override {
    auto n = std::to_string(who_.self.value);
    return {"fake:" + n, "fake-bulk:" + n};
  }
  void dial(time_point, rank peer, endpoints where, std::optional<incarnation> who) override {
    links[peer] = {std::move(where), who, false};
    attempts[peer] = 0;
    ++count.dials;
  }
  void hang_up(rank peer) override { links.erase(peer); }
  send_result send(rank peer, muster::lane, payload header,
                   std::span<const payload> frames) override {
    auto link = links.find(peer);
    if (link == links.end() || !link->second.up) return send_result::no_link;
    if (blocked.contains(peer)) return send_result::would_block;
    auto to = net_.bound.find(link->second.where.control);
    if (to == net_.bound.end()) return send_result::no_link;
    to->second->inbox.push_back(message_received{
        who_.self, lane::control, std::move(header), {frames.begin(), frames.end()}});
    ++count.messages_sent;
    return send_result::sent;
  }
  std::vector<transport_event> poll(time_point) override {
    for (auto& [peer, link] : links)
      if (!link.up) try_link(peer, link);
    std::vector<transport_event> out(inbox.begin(), inbox.end());
    inbox.clear();
    return out;
  }
  std::optional<time_point> deadline() const override { return std::nullopt; }
  int descriptor() const override { return -1; }
  const transport_counters& counters() const override { return count; }
  void close() override {
    if (auto self = net_.bound.find(local().control);
        self != net_.bound.end() && self->second == this)
      net_.bound.erase(self);
  }

  // ---- for tests
  /// Ends the life of our link to that peer; the next poll makes another.
  void cut(rank peer) {
    links.at(peer).up = false;
    inbox.push_back(link_down{peer, "cut by the test", 1});
  }
  void unblock(rank peer) {
    blocked.erase(peer);
    inbox.push_back(writable{peer, lane::control});
  }

  struct made_link {
    endpoints where;
    std::optional<incarnation> who;
    bool up = false;
  };
  std::map<rank, made_link> links;
  std::map<rank, std::uint32_t> attempts;
  std::set<rank> blocked;
  std::deque<transport_event> inbox;
  transport_counters count;

 private:
  void try_link(rank peer, made_link& l) {
    auto to = net_.bound.find(l.where.control);
    if (to == net_.bound.end() || (l.who && *l.who != to->second->who_.incarnation)) {
      if (attempts[peer]++ == 0) inbox.push_back(link_down{peer, "connection refused", 1});
      return;
    }
    l.up = true;
    ++count.lives;
    to->second->inbox.push_back(peer_heard{who_.self, who_.incarnation, local()});
    inbox.push_back(link_up{peer});
  }

  fake_network& net_;
  transport_identity who_;
};

}  // namespace muster::testing
