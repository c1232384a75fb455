// The reactor: one thread that runs actors bound to it, polls what its clients wait for and keeps their
// deadlines. Constructed, stopped and destroyed by an ordinary thread; no user code runs on it.
//
//     run a bounded number of actors ──> serve every client ──> sleep in poll(2) until a descriptor,
//           ▲                                                   the earliest deadline or exec_later
//           └──────────────────────────────────────────────────────────────┘
//
// An actor is bound to it by passing the reactor as execution unit in `enqueue` and `launch`, as CAF's
// own brokers do with their multiplexer (host_actor.hpp does).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <caf/execution_unit.hpp>
#include <caf/fwd.hpp>

#include <muster/actors/shells/clock_source.hpp>
#include <muster/actors/shells/reactor_client.hpp>

namespace muster {

class reactor final : public caf::execution_unit, public client_registry {
 public:
  /// Starts the thread, with every signal blocked. `system` and `clock` outlive the reactor. What `scope`
  /// makes is made on that thread and held by it while it runs.
  reactor(caf::actor_system& system, const clock_source& clock,
          std::function<std::shared_ptr<void>()> scope = {});
  ~reactor() override;
  reactor(const reactor&) = delete;
  reactor& operator=(const reactor&) = delete;

  /// Runs an actor soon. Any thread; CAF calls it with one reference that the reactor gives back. After
  /// stop() the actor is not run any more.
  void exec_later(caf::resumable* job) override;

  /// The reactor's thread only, as a client's functions are.
  void add(reactor_client&) override;
  void remove(reactor_client&) override;

  [[nodiscard]] bool is_this_thread() const {
    return std::this_thread::get_id() == thread_id_.load();
  }

  /// Ends the thread after its current step and waits for it. Actors and clients that are left are not
  /// run again. Idempotent; not from the reactor's own thread.
  void stop();

  /// How often it has slept: an idle reactor's count stands still.
  [[nodiscard]] std::uint64_t sleeps() const { return sleeps_.load(std::memory_order_relaxed); }

 private:
  void run(const std::function<std::shared_ptr<void>()>& scope);
  void run_jobs();
  void serve_clients();
  void sleep();
  [[nodiscard]] bool anyone_busy() const;
  [[nodiscard]] std::optional<time_point> next_deadline() const;
  void wake() const;

  const clock_source& clock_;
  int wake_descriptor_ = -1;
  std::vector<reactor_client*> clients_;  // nullptr where one was removed during a round
  std::vector<caf::resumable*> running_;
  std::atomic<std::uint64_t> sleeps_{0};
  std::atomic<std::thread::id> thread_id_{};

  std::mutex mutex_;  // guards the three below
  std::vector<caf::resumable*> jobs_;
  bool asleep_ = false;
  bool stopped_ = false;

  std::thread thread_;  // last: runs when everything above exists
};

}  // namespace muster
