// What the conformance suite knows of a network: hosts with transports, strangers with bare
// connections, and what can be done to the links between them. One thread; waiting is bounded.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <muster/messages/transport/carrier.hpp>
#include <muster/messages/transport/transport.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster {

/// A transport and what it has reported so far.
struct test_host {
  std::unique_ptr<transport> link;
  endpoints where;  // where others dial it
  std::vector<transport_event> seen{};
  bool paused = false;             // not polled
  std::size_t events_at_once = 0;  // the most that one poll gave

  template <class Event>
  [[nodiscard]] std::vector<Event> all() const {
    std::vector<Event> out;
    for (const auto& event : seen)
      if (const auto* e = std::get_if<Event>(&event)) out.push_back(*e);
    return out;
  }
  template <class Event>
  [[nodiscard]] std::size_t count() const {
    return all<Event>().size();
  }
  /// Headers of all messages of a lane, as text.
  [[nodiscard]] std::vector<std::string> texts(lane on) const {
    std::vector<std::string> out;
    for (const auto& m : all<message_received>())
      if (m.lane == on) out.emplace_back(m.header.text());
    return out;
  }
  send_result say(rank to, std::string_view text, lane on = lane::control) {
    return link->send(to, on, payload::copy_of(text), {});
  }
};

/// Somebody who speaks over bare connections whatever it likes.
struct stranger {
  std::unique_ptr<carrier> connections;
  std::vector<carrier_event> seen;
};

class world {
 public:
  virtual ~world() = default;

  /// A host at a new address, or at one that address_of_nobody() gave before.
  test_host& add(transport_identity who, int lane_queue_max = limits::lane_queue_max) {
    return add_at(address_of_nobody(), std::move(who), lane_queue_max);
  }
  test_host& add_at(endpoints where, transport_identity who,
                    int lane_queue_max = limits::lane_queue_max) {
    auto link = make(where, std::move(who), lane_queue_max);
    hosts_.push_back({std::move(link), std::move(where)});
    return hosts_.back();
  }
  stranger& add_stranger() {
    strangers_.push_back({make_carrier(), {}});
    return strangers_.back();
  }

  /// Lets things happen until the condition holds; false when it never does.
  virtual bool until(const std::function<bool()>& condition) = 0;
  /// Lets that much time pass.
  virtual void pass(duration) = 0;
  [[nodiscard]] virtual time_point now() const = 0;

  /// An address that nobody listens at, until a host is added there.
  virtual endpoints address_of_nobody() = 0;
  /// Breaks the connections to a host; they can be made again.
  virtual void cut(test_host&) = 0;
  /// From now on nothing reaches a host, and nobody is told.
  virtual void silence(test_host&) = 0;
  /// Ends the silence.
  virtual void heal(test_host&) = 0;
  /// Sends bytes to a host that make no sense.
  virtual void make_noise(test_host&) = 0;

 protected:
  virtual std::unique_ptr<transport> make(const endpoints& where, transport_identity,
                                          int lane_queue_max) = 0;
  virtual std::unique_ptr<carrier> make_carrier() = 0;

  /// Polls everybody once; whether anything was seen.
  bool poll_all() {
    bool any = false;
    for (auto& host : hosts_) {
      if (host.paused) continue;
      auto events = host.link->poll(now());
      any = any || !events.empty();
      host.events_at_once = std::max(host.events_at_once, events.size());
      std::ranges::move(events, std::back_inserter(host.seen));
    }
    for (auto& s : strangers_)
      while (auto event = s.connections->take(now())) {
        s.seen.push_back(std::move(*event));
        any = true;
      }
    return any;
  }
  /// The first deadline of anybody, if there is one.
  [[nodiscard]] std::optional<time_point> first_deadline() const {
    std::optional<time_point> first;
    const auto consider = [&](std::optional<time_point> t) {
      if (t && (!first || *t < *first)) first = t;
    };
    for (const auto& host : hosts_)
      if (!host.paused) consider(host.link->deadline());
    for (const auto& s : strangers_) consider(s.connections->deadline());
    return first;
  }

  std::list<test_host> hosts_;
  std::list<stranger> strangers_;
};

struct world_kind {
  const char* name;
  std::function<std::unique_ptr<world>()> make;
};
inline void PrintTo(const world_kind& kind, std::ostream* out) { *out << kind.name; }
std::unique_ptr<world> make_zmq_world();
std::unique_ptr<world> make_sim_world();

}  // namespace muster
