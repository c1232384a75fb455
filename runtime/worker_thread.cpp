#include <muster/runtime/worker_thread.hpp>

#include <utility>

#include <muster/actors/shells/no_signals_scope.hpp>

namespace muster {

worker_thread::worker_thread(std::size_t queue_max) : queue_max_(queue_max) {
  no_signals_scope inherited;
  thread_ = std::thread([this] { run(); });
}

worker_thread::~worker_thread() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

bool worker_thread::post(std::function<void()> work) {
  {
    std::lock_guard lock(mutex_);
    if (work_.size() >= queue_max_) return false;
    work_.push_back(std::move(work));
  }
  changed_.notify_one();
  return true;
}

void worker_thread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !work_.empty(); });
    if (work_.empty()) return;
    auto next = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    next();
    next = nullptr;  // what it holds is destroyed without the lock
    lock.lock();
  }
}

}  // namespace muster
