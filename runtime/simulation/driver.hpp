// The simulator's driver: the only thing that runs in a simulation. One thread; at each step it chooses by
// seed among what is ready (CAF jobs, coroutines of hosts, hosts with frames or deadlines), and when nothing
// is, it moves virtual time to the next thing that is due (deliveries, deadlines, device completions). It is the
// simulated side of four seams: clock, executor, device completions, and who serves a host actor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <caf/fwd.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <muster/actors/shells/clock_source.hpp>
#include <muster/actors/shells/reactor_client.hpp>
#include <muster/devices/simulated/simulated_device.hpp>
#include <muster/messages/values/random.hpp>
#include <muster/runtime/executor.hpp>
#include <muster/runtime/op_state.hpp>
#include <muster/runtime/simulation/trace.hpp>

namespace muster {

/// Virtual time: it passes when the driver says so.
class virtual_clock final : public clock_source {
 public:
  [[nodiscard]] time_point now() const override { return now_; }
  void advance_to(time_point t) { now_ = std::max(now_, t); }

 private:
  time_point now_{};
};

class driver;

/// A virtual host's place at the driver: where its coroutines run and its host actor is served.
class host_seat final : public executor, public client_registry {
 public:
  host_seat(driver& d, rank who) : driver_(d), rank_(who) {}
  void post(std::function<void()> work) override;
  void add(reactor_client&) override;
  void remove(reactor_client&) override;
  [[nodiscard]] rank who() const { return rank_; }

 private:
  friend class driver;
  driver& driver_;
  rank rank_;
  std::deque<std::function<void()>> work_;
  reactor_client* client_ = nullptr;
  bool serve_soon_ = false;
  bool listed_ = false;     // among the driver's ready seats
  time_point due_ = never;  // as entered in the driver's agenda
};

/// Where the simulated network tells what is due. Its order of deliveries is its own.
class delivery_source {
 public:
  [[nodiscard]] virtual std::optional<time_point> next_due() const = 0;
  virtual void deliver_due(time_point now) = 0;
  /// Time has passed: what is sent from now on is on its way from now on.
  virtual void advance(time_point now) = 0;

 protected:
  ~delivery_source() = default;
};

class driver final : public blocking_driver {
 public:
  driver(std::uint64_t seed, caf::scheduler::test_coordinator& jobs, trace& log);

  [[nodiscard]] const virtual_clock& clock() const { return clock_; }
  [[nodiscard]] random_source& random() { return random_; }
  trace& log() { return trace_; }
  void deliver_from(delivery_source& network) { network_ = &network; }

  /// The seat of the next rank; lives as long as the driver.
  host_seat& add_seat();
  host_seat& seat(rank r) { return *seats_[r.value]; }

  /// Runs `what` at that time, after what was entered for it before.
  void at(time_point when, std::function<void()> what);
  /// That host has something to be served: its transport has news.
  void wake(rank r);

  /// One step, or false when nothing is ready and nothing is due before `limit`.
  bool step(time_point limit = never);

  /// Steps until `done`; unavailable when nothing is left to happen, would_block from inside a step.
  status drive_until(const std::function<bool()>& done) override;

 private:
  friend class host_seat;
  void run_job(std::size_t index);
  void serve(host_seat& s);
  void resume(host_seat& s);
  void mark_ready(host_seat& s);
  void enter_deadline(host_seat& s);
  bool advance_time(time_point limit);
  [[nodiscard]] static bool ready(const host_seat& s) { return s.serve_soon_ || !s.work_.empty(); }

  virtual_clock clock_;
  random_source random_;
  caf::scheduler::test_coordinator& jobs_;
  trace& trace_;
  delivery_source* network_ = nullptr;
  std::vector<std::unique_ptr<host_seat>> seats_;
  std::map<const reactor_client*, host_seat*> seat_of_;  // looked up, never walked
  std::vector<host_seat*> ready_;  // each once; order is history, so deterministic
  std::map<std::pair<time_point, std::uint64_t>, std::function<void()>> agenda_;
  std::map<std::pair<time_point, rank>, host_seat*> deadlines_;
  std::uint64_t serial_ = 0;
  bool stepping_ = false;
};

/// Completes the launches of one simulated device in virtual time.
class simulated_completions final : public simulated_device_driver {
 public:
  simulated_completions(driver& d, rank host, std::uint32_t device)
      : driver_(d), host_(host), device_(device) {}
  void schedule(duration cost, std::function<void()> run) override;
  /// Every cost from now on is multiplied: a slow device.
  void slow_down(std::uint32_t factor) { factor_ = factor; }

 private:
  driver& driver_;
  rank host_;
  std::uint32_t device_;
  std::uint32_t factor_ = 1;
};

}  // namespace muster
