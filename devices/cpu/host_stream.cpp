#include <muster/devices/cpu/host_stream.hpp>

#include <exception>
#include <utility>

#include <muster/devices/order.hpp>
#include <muster/messages/values/ensure.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster {

// What leaves the queue is always destroyed without the lock: a function of a user may own buffers, and
// dropping one comes back here.

status host_stream::push(host_work work) {
  {
    std::lock_guard lock(mutex_);
    if (!failure_.ok()) return failure_;
    if (waiting_ >= limits::device_queue_max) {
      return error(status_code::resource_exhausted, kind_ + ": '" + work.name + "' not queued, " +
                                                        std::to_string(waiting_) +
                                                        " are waiting (limit device_queue_max)");
    }
    queue_.push_back(std::move(work));
    ++waiting_;
    ++pushed_;
  }
  changed_.notify_all();
  return {};
}

void host_stream::release(std::shared_ptr<const void> owner) {
  std::lock_guard lock(mutex_);
  if (!running_ && queue_.empty()) return;  // the caller's copy is the last one
  queue_.push_back({"release", {}, std::move(owner), false, 0, 0});
}

std::uint64_t host_stream::record() {
  std::lock_guard lock(mutex_);
  recorded_ = pushed_;
  return pushed_;
}

event_progress host_stream::progress_of(std::uint64_t position) const {
  std::lock_guard lock(mutex_);
  if (finished_ >= position) return event_progress::done;
  return failure_.ok() ? event_progress::pending : event_progress::failed;
}

status host_stream::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

device_counters host_stream::counters() const {
  std::lock_guard lock(mutex_);
  return counters_;
}

void host_stream::on_progress(std::function<void()> wake) {
  std::lock_guard lock(mutex_);
  ensure(pushed_ == 0, "on_progress is set before the first launch");
  wake_ = std::move(wake);
}

void host_stream::run_front(std::optional<duration> cost) {
  auto work = take_front();
  if (!work.run) return;
  status outcome;
  const auto begin = std::chrono::steady_clock::now();
  try {
    order::floating_point_scope mode;  // each time: the function before may have changed it
    work.run();
  } catch (const std::exception& thrown) {
    outcome = error(status_code::device_error,
                    kind_ + ": launch '" + work.name + "' threw: " + thrown.what());
  } catch (...) {
    outcome = error(status_code::device_error,
                    kind_ + ": launch '" + work.name + "' threw something that is no exception");
  }
  const auto took = cost.value_or(std::chrono::steady_clock::now() - begin);
  work.run = nullptr;  // what it captured is gone before its event is done
  work.keeps.reset();
  finish(work, std::move(outcome), took);
}

host_work host_stream::take_front() {
  work_queue dropped;
  std::lock_guard lock(mutex_);
  drop_leading_releases_locked(dropped);
  if (queue_.empty()) return {};
  auto work = std::move(queue_.front());
  queue_.pop_front();
  --waiting_;
  running_ = true;
  return work;
}

void host_stream::finish(const host_work& work, status outcome, duration took) {
  work_queue dropped;
  std::unique_lock lock(mutex_);
  // What waited only for this work is free before its event is done.
  while (drop_leading_releases_locked(dropped)) {
    lock.unlock();
    dropped.clear();
    lock.lock();
  }
  running_ = false;
  if (work.counts) {
    ++counters_.launches;
    counters_.busy += took;
  }
  if (outcome.ok()) {
    counters_.bytes_reduced += work.bytes_reduced;
    ++finished_;  // also when the device was closed meanwhile: this work did run
  } else {
    fail_locked(std::move(outcome), dropped);
  }
  const bool wakes = wake_ && !closed_ && (!failure_.ok() || recorded_ >= finished_);
  lock.unlock();
  changed_.notify_all();
  if (wakes) wake_();
}

std::optional<std::size_t> host_stream::front_bytes() const {
  std::lock_guard lock(mutex_);
  for (const auto& work : queue_) {
    if (work.run) return work.bytes_moved;
  }
  return std::nullopt;
}

bool host_stream::wait_for_work() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || waiting_ > 0; });
  return !closed_;
}

void host_stream::close() {
  work_queue dropped;
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    fail_locked(error(status_code::cancelled, kind_ + ": the device was closed"), dropped);
  }
  changed_.notify_all();
}

bool host_stream::wait_until_quiet(duration longest) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, longest, [this] { return !running_; });
}

// The first error stays. Releases stay queued while something runs that may use what they hold.
void host_stream::fail_locked(status why, work_queue& dropped) {
  if (failure_.ok()) failure_ = std::move(why);
  work_queue kept;
  for (auto& work : queue_) (running_ && !work.run ? kept : dropped).push_back(std::move(work));
  queue_ = std::move(kept);
  waiting_ = 0;
}

bool host_stream::drop_leading_releases_locked(work_queue& dropped) {
  while (!queue_.empty() && !queue_.front().run) {
    dropped.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return !dropped.empty();
}

}  // namespace muster
