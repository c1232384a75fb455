#include <muster/runtime/executor.hpp>

#include <utility>

namespace muster {
namespace {

thread_local executor* current = nullptr;
thread_local int no_blocking_depth = 0;

}  // namespace

executor* current_executor() { return current; }

bool blocking_allowed() { return no_blocking_depth == 0; }

no_blocking_scope::no_blocking_scope() { ++no_blocking_depth; }

no_blocking_scope::~no_blocking_scope() { --no_blocking_depth; }

void executor::run_here(const std::function<void()>& work) {
  struct restore {
    executor* previous;
    ~restore() { current = previous; }
  } restore_at_end{std::exchange(current, this)};
  no_blocking_scope guard;
  work();
}

void run_loop::post(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  work_.push_back(std::move(work));
  posted_.notify_one();  // under the lock: once it has seen this work the loop may be destroyed
}

bool run_loop::run_one() {
  std::function<void()> work;
  {
    std::lock_guard lock(mutex_);
    if (work_.empty()) return false;
    work = std::move(work_.front());
    work_.pop_front();
  }
  run_here(work);
  return true;
}

void run_loop::run_until(const std::function<bool()>& done) {
  while (!done()) {
    if (run_one()) continue;
    std::unique_lock lock(mutex_);
    posted_.wait(lock, [this] { return !work_.empty(); });
  }
}

}  // namespace muster
