#include <muster/runtime/op_state.hpp>

namespace muster::detail {

bool op_state_base::done() const {
  std::lock_guard lock(mutex_);
  return done_;
}

bool op_state_base::continue_on(executor& where, std::function<void()> work) {
  std::lock_guard lock(mutex_);
  if (done_) return false;
  if (continuation_)
    throw status_error(error(status_code::invalid_argument,
                             "an op is already awaited: one co_await or then() at a time"));
  where_ = &where;
  continuation_ = std::move(work);
  return true;
}

void op_state_base::forget_continuation() {
  std::function<void()> dropped;  // destroyed after the lock is released
  std::lock_guard lock(mutex_);
  where_ = nullptr;
  dropped.swap(continuation_);
}

void op_state_base::finish(std::function<void()>& dropped) {
  done_ = true;
  dropped.swap(cancel_hook_);
  finished_.notify_all();
  // Posted under the lock: whoever forgets the continuation may destroy its executor right
  // afterwards.
  if (where_ != nullptr) where_->post([self = shared_from_this()] { self->run_continuation(); });
}

void op_state_base::run_continuation() {
  std::function<void()> work;
  {
    std::lock_guard lock(mutex_);
    where_ = nullptr;
    work.swap(continuation_);
  }
  if (work) work();
}

status op_state_base::wait_done() {
  std::unique_lock lock(mutex_);
  if (done_) return {};
  if (!blocking_allowed())
    return error(status_code::would_block,
                 "this thread runs a reactor, an actor or a continuation and may not wait: use "
                 "co_await or then()");
  if (!driver_) {
    finished_.wait(lock, [this] { return done_; });
    return {};
  }
  auto driver = driver_->lock();
  lock.unlock();
  if (!driver)
    return error(status_code::unavailable,
                 "the simulation that this operation belongs to has ended");
  return driver->drive_until([this] { return done(); });
}

void op_state_base::cancel() {
  std::function<void()> hook;
  {
    std::lock_guard lock(mutex_);
    hook = cancel_hook_;
  }
  if (hook) hook();
}

void op_state_base::on_cancel(std::function<void()> hook) {
  std::lock_guard lock(mutex_);
  if (!done_) cancel_hook_ = std::move(hook);
}

void op_state_base::drive_with(std::weak_ptr<blocking_driver> driver) {
  std::lock_guard lock(mutex_);
  driver_ = std::move(driver);
}

}  // namespace muster::detail
