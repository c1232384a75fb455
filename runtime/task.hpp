// A lazy coroutine: `task<T> train(host&)` does nothing until it is awaited, run or spawned. A task
// and all that it awaits belong to one executor; it is dropped on that executor's thread, or when
// that is at rest.
#pragma once

#include <atomic>
#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include <muster/messages/values/status.hpp>

namespace muster {

template <class T>
class task;

namespace detail {

/// Who goes on when a task ends. The starter and the end meet at `phase_`, whichever comes second
/// resumes the waiter: a task that ends without ever suspending lets its waiter go on without a
/// deeper stack (g++ makes tail calls of resumptions only when it optimises, so symmetric transfer
/// alone would not).
class task_promise_base {
 public:
  struct final_awaiter {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) const noexcept {
      task_promise_base& promise = self.promise();
      if (promise.phase_.exchange(phase::ended) == phase::awaited) return promise.waiter_;
      return std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };

  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] final_awaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() { thrown_ = std::current_exception(); }

  /// Starts `self` for `waiter`: true when the waiter has to suspend.
  bool start_for(std::coroutine_handle<> self, std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    self.resume();
    return phase_.exchange(phase::awaited) != phase::ended;
  }

 protected:
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  enum class phase { running, awaited, ended };
  std::atomic<phase> phase_{phase::running};
  std::coroutine_handle<> waiter_;
  std::exception_ptr thrown_;
};

template <class T>
class task_promise final : public task_promise_base {
 public:
  task<T> get_return_object();
  template <class U>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T take() {
    rethrow();
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class task_promise<void> final : public task_promise_base {
 public:
  task<void> get_return_object();
  void return_void() const {}
  void take() const { rethrow(); }
};

}  // namespace detail

/// Move-only owner of the coroutine. Dropping it destroys the coroutine where it stands: its locals
/// are destroyed, operations that it awaited are detached.
template <class T>
class [[nodiscard]] task {
 public:
  using promise_type = detail::task_promise<T>;
  using value_type = T;

  task() = default;
  task(task&& other) noexcept : self_(std::exchange(other.self_, {})) {}
  task& operator=(task&& other) noexcept {
    if (this != &other) {
      destroy();
      self_ = std::exchange(other.self_, {});
    }
    return *this;
  }
  task(const task&) = delete;
  task& operator=(const task&) = delete;
  ~task() { destroy(); }

  /// Runs the task for the awaiting coroutine: its value, or what it threw. Once.
  auto operator co_await() && {
    struct awaiter {
      std::coroutine_handle<promise_type> self;
      [[nodiscard]] bool await_ready() const { return false; }
      bool await_suspend(std::coroutine_handle<> waiter) {
        return self.promise().start_for(self, waiter);
      }
      T await_resume() { return self.promise().take(); }
    };
    return awaiter{checked()};
  }

  /// For drivers such as run(): starts the task, which goes on by itself on the current executor.
  void start() { checked().resume(); }
  [[nodiscard]] bool done() const { return self_ && self_.done(); }
  /// The value, or throws what the task threw. Only when done, once.
  T take() { return checked().promise().take(); }

 private:
  friend promise_type;
  explicit task(std::coroutine_handle<promise_type> self) : self_(self) {}
  void destroy() {
    if (self_) std::exchange(self_, {}).destroy();
  }
  std::coroutine_handle<promise_type> checked() const {
    if (!self_)
      throw status_error(
          error(status_code::invalid_argument, "this task is empty: it was moved from"));
    return self_;
  }
  std::coroutine_handle<promise_type> self_;
};

namespace detail {

template <class T>
task<T> task_promise<T>::get_return_object() {
  return task<T>(std::coroutine_handle<task_promise>::from_promise(*this));
}
inline task<void> task_promise<void>::get_return_object() {
  return task<void>(std::coroutine_handle<task_promise>::from_promise(*this));
}

}  // namespace detail
}  // namespace muster
