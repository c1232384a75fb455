// What an op and its promise share: the outcome, who waits for it, and where that one goes on.
// Internal to the runtime; any thread, each function locks.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <muster/messages/values/status.hpp>
#include <muster/runtime/executor.hpp>

namespace muster {

/// How a thread waits where it must not simply sleep: in the simulator a wait on the test's own
/// thread runs the simulation. Called on the waiting thread.
class blocking_driver {
 public:
  virtual ~blocking_driver() = default;

  /// Makes things happen until `done` says so. ok then; `unavailable` when nothing is left to
  /// happen and it still isn't done; `would_block` when this thread may not drive.
  virtual status drive_until(const std::function<bool()>& done) = 0;
};

namespace detail {

class op_state_base : public std::enable_shared_from_this<op_state_base> {
 public:
  op_state_base() = default;
  virtual ~op_state_base() = default;
  op_state_base(const op_state_base&) = delete;
  op_state_base& operator=(const op_state_base&) = delete;

  [[nodiscard]] bool done() const;

  /// Runs `work` on `where` when done; false, and nothing is kept, when that is already so. At most
  /// one continuation at a time; a second one throws invalid_argument.
  bool continue_on(executor& where, std::function<void()> work);

  /// The continuation is not wanted any more. Called on its executor's thread, where it would have
  /// run, so that it either has run or never will.
  void forget_continuation();

  /// Blocks until done: ok, or why it can't be waited for here.
  [[nodiscard]] status wait_done();

  void cancel();
  void on_cancel(std::function<void()> hook);

  /// Set once, before the op is handed out. Weak: an op may outlive its simulation.
  void drive_with(std::weak_ptr<blocking_driver> driver);

 protected:
  /// The rest of a completion, with `lock` held: wakes waiters and posts the continuation. What
  /// must be destroyed without the lock is moved to `dropped`.
  void finish(std::function<void()>& dropped);

  mutable std::mutex mutex_;
  bool done_ = false;

 private:
  void run_continuation();

  std::condition_variable finished_;
  executor* where_ = nullptr;
  std::function<void()> continuation_;
  std::function<void()> cancel_hook_;
  std::optional<std::weak_ptr<blocking_driver>> driver_;
};

template <class T>
class op_state final : public op_state_base {
 public:
  /// The first outcome counts; false for a later one.
  bool complete(result<T> outcome) {
    std::function<void()> dropped;
    std::lock_guard lock(mutex_);
    if (done_) return false;
    outcome_.emplace(std::move(outcome));
    finish(dropped);
    return true;
  }

  /// Moves the outcome out, once.
  result<T> take() {
    std::lock_guard lock(mutex_);
    if (!outcome_) return taken();
    result<T> out = std::move(*outcome_);
    outcome_.reset();
    return out;
  }

 private:
  status taken() const {
    if (!done_)
      return error(status_code::internal,
                   "the outcome of an operation was asked for before its end");
    return error(status_code::invalid_argument,
                 "the outcome of an operation can be taken once, and it was");
  }
  std::optional<result<T>> outcome_;
};

}  // namespace detail
}  // namespace muster
