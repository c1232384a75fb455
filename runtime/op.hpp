// A pending operation: one result<T> that will come. The handle belongs to one thread at a time;
// the outcome may be given from any thread.
//
//     auto config = co_await host.broadcast_one_to_all(tree);  // T, or throws status_error
//     auto outcome = co_await host.barrier("x").as_result();   // result<T>, never throws
//     host.barrier("x").then(executor, [](muster::result<void> outcome) { ... });
//     auto outcome = host.barrier("x").wait();                 // ordinary threads only
//
// Never write co_await in an operand of ?: where g++ 12 compiles it: it destroys temporaries of the side that was
// not evaluated. Use if and else.
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <muster/messages/values/status.hpp>
#include <muster/runtime/executor.hpp>
#include <muster/runtime/op_state.hpp>

namespace muster {
namespace detail {

/// Suspends a coroutine until the op is done and resumes it on the executor that was current then.
/// When the coroutine is destroyed instead, so is this awaiter, and nothing resumes.
template <class T>
class op_awaiter_base {
 public:
  explicit op_awaiter_base(std::shared_ptr<op_state<T>> state) : state_(std::move(state)) {}
  ~op_awaiter_base() {
    if (suspended_) state_->forget_continuation();
  }
  op_awaiter_base(const op_awaiter_base&) = delete;
  op_awaiter_base& operator=(const op_awaiter_base&) = delete;

  [[nodiscard]] bool await_ready() const { return state_->done(); }

  bool await_suspend(std::coroutine_handle<> waiter) {
    executor* here = current_executor();
    if (here == nullptr)
      throw status_error(
          error(status_code::invalid_argument,
                "co_await needs an executor to resume on: start the coroutine with muster::run"));
    suspended_ = true;  // before it can be resumed on another thread
    if (state_->continue_on(*here, [waiter] { waiter.resume(); })) return true;
    suspended_ = false;
    return false;
  }

 protected:
  result<T> outcome() {
    suspended_ = false;
    return state_->take();
  }

 private:
  std::shared_ptr<op_state<T>> state_;
  bool suspended_ = false;
};

template <class T>
class op_value_awaiter : public op_awaiter_base<T> {
 public:
  using op_awaiter_base<T>::op_awaiter_base;
  T await_resume() { return this->outcome().value(); }
};

template <class T>
class op_result_awaiter : public op_awaiter_base<T> {
 public:
  using op_awaiter_base<T>::op_awaiter_base;
  result<T> await_resume() { return this->outcome(); }
};

}  // namespace detail

template <class T>
class op_promise;

/// Move-only. Dropping one detaches: the operation goes on and nobody hears how it ends.
template <class T>
class [[nodiscard]] op {
 public:
  using value_type = T;

  op() = default;
  op(op&&) noexcept = default;
  op& operator=(op&&) noexcept = default;
  op(const op&) = delete;
  op& operator=(const op&) = delete;

  /// An operation that has already ended.
  static op completed(result<T> outcome) {
    auto state = std::make_shared<detail::op_state<T>>();
    state->complete(std::move(outcome));
    return op(std::move(state));
  }

  /// Whether there is an operation: not in a default-constructed op, one moved from, or after
  /// then().
  [[nodiscard]] bool valid() const { return state_ != nullptr; }
  /// Whether it has ended.
  [[nodiscard]] bool done() const { return state().done(); }

  /// Asks for the operation to fail with `cancelled`. Nothing is certain before the op is done: it
  /// may be too late. Nothing happens when it has ended.
  void cancel() { state().cancel(); }

  /// Blocks until it has ended. Where blocking is not allowed (reactor, actor, continuation,
  /// simulated host) and it has not ended: `would_block`, and the op stays as it was. The outcome
  /// moves out: a second wait() is an invalid_argument.
  result<T> wait() {
    if (status why = state().wait_done(); !why.ok()) return why;
    return state().take();
  }
  /// wait(), but the value, or throws status_error.
  T get() { return wait().value(); }

  /// Calls f(result<T>) on `where` once it has ended, never before then() has returned. `where`
  /// must outlive the operation.
  template <class F>
  void then(executor& where, F f) && {
    auto state = take_state();
    auto* raw = state.get();
    // The state keeps this function and must not keep itself; run_continuation holds it meanwhile.
    std::function<void()> work = [raw, f = std::make_shared<F>(std::move(f))] {
      (*f)(raw->take());
    };
    if (!state->continue_on(where, work)) where.post([state, work] { work(); });
  }

  /// T, or throws status_error inside the coroutine.
  auto operator co_await() { return detail::op_value_awaiter<T>(shared_state()); }

  /// To be awaited for a result<T>.
  class as_result_awaitable {
   public:
    explicit as_result_awaitable(std::shared_ptr<detail::op_state<T>> state)
        : state_(std::move(state)) {}
    auto operator co_await() { return detail::op_result_awaiter<T>(state_); }

   private:
    std::shared_ptr<detail::op_state<T>> state_;
  };
  [[nodiscard]] as_result_awaitable as_result() { return as_result_awaitable(shared_state()); }

 private:
  friend class op_promise<T>;
  explicit op(std::shared_ptr<detail::op_state<T>> state) : state_(std::move(state)) {}

  const std::shared_ptr<detail::op_state<T>>& shared_state() const {
    if (!state_)
      throw status_error(
          error(status_code::invalid_argument, "this op is empty: it was moved from"));
    return state_;
  }
  detail::op_state<T>& state() const { return *shared_state(); }
  std::shared_ptr<detail::op_state<T>> take_state() {
    auto out = shared_state();
    state_.reset();
    return out;
  }

  std::shared_ptr<detail::op_state<T>> state_;
};

/// The other end: gives the outcome, once, from any thread. Copies are the same promise, so that it
/// can travel in a message or a std::function; when the last copy goes without an outcome, the op
/// ends with `unavailable`: nothing waits for ever.
template <class T>
class op_promise {
 public:
  op_promise() : shared_(std::make_shared<last_copy>()) {}

  /// The op of this promise. Call it once.
  op<T> get_op() const { return op<T>(shared_->state); }

  /// The first outcome counts; false for a later one.
  bool complete(result<T> outcome) const { return shared_->state->complete(std::move(outcome)); }
  [[nodiscard]] bool done() const { return shared_->state->done(); }

  /// What op::cancel() does: called on the cancelling thread, possibly several times, possibly
  /// while the outcome is given elsewhere; it should only pass the wish on. Dropped at the end.
  void on_cancel(std::function<void()> hook) const { shared_->state->on_cancel(std::move(hook)); }

  /// How wait() and get() wait. Set before get_op().
  void drive_with(std::weak_ptr<blocking_driver> driver) const {
    shared_->state->drive_with(std::move(driver));
  }

 private:
  struct last_copy {
    std::shared_ptr<detail::op_state<T>> state = std::make_shared<detail::op_state<T>>();
    last_copy() = default;
    last_copy(const last_copy&) = delete;
    last_copy& operator=(const last_copy&) = delete;
    ~last_copy() {
      state->complete(error(status_code::unavailable,
                            "the operation was dropped by the runtime before its end"));
    }
  };
  std::shared_ptr<last_copy> shared_;
};

}  // namespace muster
