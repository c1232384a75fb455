// Where work runs: an executor takes functions from any thread and runs them later, one after
// another, on threads of its own. Anybody may post; who may run an executor is said by the
// executor.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace muster {

/// One of the six seams between production and simulation: a run_loop on the caller's thread here,
/// the simulator's driver there.
class executor {
 public:
  virtual ~executor() = default;

  /// Queues `work`. Any thread; never runs it before returning, never blocks. Work that was posted
  /// and not yet run when the executor is destroyed is dropped. The queue needs no bound of its
  /// own: every operation and every spawned task has at most one piece of work in it.
  virtual void post(std::function<void()> work) = 0;

 protected:
  /// Runs `work` as this executor's: current_executor() is this one, and blocking is not allowed.
  void run_here(const std::function<void()>& work);
};

/// The executor whose work this thread runs now, or null. A coroutine that suspends resumes there.
[[nodiscard]] executor* current_executor();

/// Whether this thread may block in op::wait() and op::get().
[[nodiscard]] bool blocking_allowed();

/// While one lives, blocking is not allowed on its thread. Reactor, actors and executors hold one
/// while they run something; scopes nest.
class no_blocking_scope {
 public:
  no_blocking_scope();
  ~no_blocking_scope();
  no_blocking_scope(const no_blocking_scope&) = delete;
  no_blocking_scope& operator=(const no_blocking_scope&) = delete;
};

/// An executor whose work runs on the thread that calls one of its run functions. Any thread may
/// post.
class run_loop final : public executor {
 public:
  void post(std::function<void()> work) override;

  /// Runs work, sleeping while there is none, until `done` says so; it is asked after each piece.
  void run_until(const std::function<bool()>& done);

  /// Runs one piece of work if there is one; never sleeps.
  bool run_one();

 private:
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::function<void()>> work_;
};

}  // namespace muster
