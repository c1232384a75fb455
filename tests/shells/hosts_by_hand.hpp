// Some host actors on one thread: CAF's test scheduler, a clock that stands still until it is moved, a
// network in memory, and a pump that runs everything until nothing happens.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <muster/actors/shells/device_messages.hpp>
#include <muster/actors/shells/host_actor.hpp>
#include <muster/actors/shells/ordered_actor.hpp>
#include <muster/tests/shells/fake_network.hpp>

namespace muster::testing {

inline constexpr time_point t0{std::chrono::hours(1)};

class hand_clock final : public clock_source {
 public:
  time_point now() const override { return at; }
  time_point at = t0;
};

class hand_registry final : public client_registry {
 public:
  void add(reactor_client& c) override { clients.push_back(&c); }
  void remove(reactor_client& c) override { std::erase(clients, &c); }
  std::vector<reactor_client*> clients;
};

/// Stands in for a device: keeps parts side by side, and at the root calls them whole.
class gluing_device final : public ordered_actor {
 public:
  using ordered_actor::ordered_actor;
  caf::behavior make_behavior() override {
    return {[this](fold_partials& order) {
      after_sender();
      contribution all;
      for (auto& one : order.inputs) {
        all.parts.insert(all.parts.end(), one.parts.begin(), one.parts.end());
        all.frames.insert(all.frames.end(), one.frames.begin(), one.frames.end());
      }
      if (order.finish)
        all = {{{0, order.said.leaf_count}}, {payload::copy_of(std::to_string(all.parts.size()))}};
      return fold_done{{}, std::move(all)};
    }};
  }
};

struct ended_call {
  status outcome;
  contribution result;
};

class hosts_by_hand {
 public:
  explicit hosts_by_hand(std::uint32_t world_size, std::uint32_t fan_out = limits::fan_out_default)
      : world_size_(world_size),
        fan_out_(fan_out),
        system_(testing_config()),
        hosts_(world_size),
        over(world_size) {}
  ~hosts_by_hand() {
    for (auto& h : hosts_)
      if (h) caf::anon_send_exit(h, caf::exit_reason::user_shutdown);
    for (auto& d : devices_) caf::anon_send_exit(d, caf::exit_reason::user_shutdown);
    pump();
  }

  void start(std::uint32_t r) {
    devices_.push_back(system_.spawn<gluing_device>());
    auto transport = std::make_shared<fake_transport>(net, identity(r));
    over[r] = transport.get();
    host_actor_config config;
    config.job = "job";
    config.self = rank{r};
    config.world_size = world_size_;
    config.incarnation = identity(r).incarnation;
    config.over = std::move(transport);
    config.meet.root = {{"fake:0", "fake-bulk:0"}};
    config.meet.timeout = std::chrono::minutes(1);
    config.devices = {devices_.back()};
    config.clock = &clock;
    config.served_by = &registry;
    config.fan_out = fan_out_;
    config.observer.joining = [this](const std::string& text) { said_joining.push_back(text); };
    config.observer.stalled = [this](const stalled& report) { said_stalled.push_back(report); };
    config.observer.fenced = [this](const std::string& why) { said_fenced.push_back(why); };
    hosts_[r] = system_.spawn<host_actor, caf::hidden>(std::move(config));
  }

  std::shared_ptr<std::optional<result<member_table>>> join(std::uint32_t r) {
    auto out = std::make_shared<std::optional<result<member_table>>>();
    caf::anon_send(hosts_[r], start_join{[out](status s, member_table t) {
                     if (s.ok())
                       out->emplace(std::move(t));
                     else
                       out->emplace(std::move(s));
                   }});
    return out;
  }
  /// Starts and joins all hosts and pumps.
  void join_all() {
    for (std::uint32_t r = 0; r < world_size_; ++r) start(r);
    for (std::uint32_t r = 0; r < world_size_; ++r) join(r);
    pump();
  }

  using pending = std::shared_ptr<std::optional<ended_call>>;
  pending call(std::uint32_t r, signature said, std::optional<contribution> given = contribution{},
               deadlines within = {limits::soft_default, limits::hard_default}) {
    auto out = std::make_shared<std::optional<ended_call>>();
    last_ticket = ticket{last_ticket.value + 1};
    caf::anon_send(hosts_[r],
                   start_operation{last_ticket, std::move(said), within, std::move(given),
                                   [out](status s, contribution c) {
                                     out->emplace(ended_call{std::move(s), std::move(c)});
                                   }});
    pump();
    return out;
  }
  template <class Message>
  void tell(std::uint32_t r, Message m) {
    caf::anon_send(hosts_[r], std::move(m));
    pump();
  }
  void kill(std::uint32_t r) {
    caf::anon_send_exit(hosts_[r], caf::exit_reason::kill);
    pump();
    over[r]->close();
  }
  void kill_device(std::uint32_t r) {
    caf::anon_send_exit(devices_[r], caf::exit_reason::kill);
    pump();
  }
  host_report report(std::uint32_t r);

  /// Runs actors and serves hosts until nothing happens any more.
  void pump() {
    auto& scheduler = dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
    for (int quiet = 0; quiet < 2;) {
      bool worked = scheduler.run() != 0;
      for (auto* client : std::vector(registry.clients)) {
        client->serve(clock.at);
        worked = worked || client->busy();
      }
      quiet = worked ? 0 : quiet + 1;
    }
  }
  /// Moves time on, stopping at every deadline on the way.
  void pass(duration d) {
    pump();
    const auto until = clock.at + d;
    while (clock.at < until) {
      auto next = until;
      for (auto* client : registry.clients)
        if (auto due = client->deadline(); due && *due > clock.at) next = std::min(next, *due);
      clock.at = next;
      pump();
    }
  }

  static transport_identity identity(std::uint32_t r) {
    return {"job", "", rank{r}, incarnation{{r + 1, 7}}};
  }

  hand_clock clock;
  hand_registry registry;
  fake_network net;
  std::vector<std::string> said_joining, said_fenced;
  std::vector<stalled> said_stalled;
  ticket last_ticket{100};

 private:
  static caf::actor_system_config& testing_config() {
    static thread_local std::unique_ptr<caf::actor_system_config> config;
    config = std::make_unique<caf::actor_system_config>();
    config->set("scheduler.policy", caf::atom("testing"));
    return *config;
  }

  std::uint32_t world_size_;
  std::uint32_t fan_out_;
  caf::actor_system system_;
  std::vector<caf::actor> hosts_, devices_;

 public:
  std::vector<fake_transport*> over;
};

inline signature barrier_named(std::string name) {
  signature s;
  s.kind = op_kind::barrier;
  s.name = std::move(name);
  return s;
}

}  // namespace muster::testing
