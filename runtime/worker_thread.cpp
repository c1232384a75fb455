#include <muster/runtime/worker_thread.hpp>

#include <utility>

#include <muster/actors/shells/no_signals_scope.hpp>

namespace muster {

worker_thread::worker_thread(std::size_t queue_max) : state_(std::make_shared<state>(queue_max)) {
  no_signals_scope inherited;
  thread_ = std::thread([s = state_] { s->run(); });
}

worker_thread::~worker_thread() {
  {
    std::lock_guard lock(state_->mutex);
    state_->ending = true;
  }
  state_->changed.notify_one();
  if (thread_.get_id() == std::this_thread::get_id())
    thread_.detach();
  else
    thread_.join();
}

bool worker_thread::post(std::function<void()> work) {
  {
    std::lock_guard lock(state_->mutex);
    if (state_->work.size() >= state_->queue_max) return false;
    state_->work.push_back(std::move(work));
  }
  state_->changed.notify_one();
  return true;
}

void worker_thread::state::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return ending || !work.empty(); });
    if (work.empty()) return;
    auto next = std::move(work.front());
    work.pop_front();
    lock.unlock();
    next();
    next = nullptr;  // what it holds is destroyed without the lock
    lock.lock();
  }
}

}  // namespace muster
