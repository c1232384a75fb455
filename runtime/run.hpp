// Drives tasks: run() on the calling thread until the end, spawn_on() on an executor. run() is for
// threads that may block; spawn_on() may be called anywhere, its handle is dropped on the
// executor's thread.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <muster/messages/values/status.hpp>
#include <muster/runtime/executor.hpp>
#include <muster/runtime/task.hpp>

namespace muster {

/// Runs the task on this thread, and on `loop` whatever it awaits, until it ends: its value, or
/// what it threw. Throws would_block on a thread that may not block.
template <class T>
T run(run_loop& loop, task<T> work) {
  if (!blocking_allowed())
    throw status_error(error(status_code::would_block,
                             "muster::run on a thread that may not block: co_await the task"));
  loop.post([&work] { work.start(); });
  loop.run_until([&work] { return work.done(); });
  return work.take();
}

/// The same on a loop of its own.
template <class T>
T run(task<T> work) {
  run_loop loop;
  return run(loop, std::move(work));
}

/// A task that runs on its executor. Dropping the handle destroys the coroutine where it stands, as
/// the death of a simulated host does; on_done is then never called. Keep it until then.
class [[nodiscard]] spawned {
 public:
  spawned() = default;
  explicit spawned(std::shared_ptr<task<void>> work) : work_(std::move(work)) {}
  [[nodiscard]] bool done() const { return work_ && work_->done(); }

 private:
  std::shared_ptr<task<void>> work_;
};

namespace detail {

/// What an exception that left a task means to those who take results.
inline status status_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const status_error& e) {
    return e.why();
  } catch (const std::exception& e) {
    return error(status_code::aborted, std::string("the task threw: ") + e.what());
  } catch (...) {
    return error(status_code::aborted, "the task threw something that is no std::exception");
  }
}

template <class T>
task<result<T>> outcome_of(task<T> work) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(work);
      co_return result<void>{};
    } else {
      co_return result<T>(co_await std::move(work));
    }
  } catch (...) {
    co_return result<T>(status_of(std::current_exception()));
  }
}

template <class T>
task<void> drive(executor& where, task<T> work, std::function<void(result<T>)> on_done) {
  auto outcome = std::make_shared<result<T>>(co_await outcome_of(std::move(work)));
  // Posted, so that on_done may drop the handle: this coroutine has ended by then.
  where.post([outcome, on_done = std::move(on_done)] {
    if (on_done) on_done(std::move(*outcome));
  });
}

}  // namespace detail

/// Starts the task on `where` and calls on_done(result<T>) there when it has ended: a status_error
/// becomes its status, another exception `aborted`.
template <class T>
spawned spawn_on(executor& where, task<T> work,
                 std::function<void(result<std::type_identity_t<T>>)> on_done = {}) {
  auto root =
      std::make_shared<task<void>>(detail::drive<T>(where, std::move(work), std::move(on_done)));
  where.post([weak = std::weak_ptr(root)] {
    if (auto alive = weak.lock()) alive->start();
  });
  return spawned(std::move(root));
}

}  // namespace muster
