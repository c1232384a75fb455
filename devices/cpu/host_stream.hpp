// A stream of a device whose memory is the host's: what is queued, how far it is, what failed. Shared by the
// device, its buffers and whoever runs the work. Every function may be called from any thread; `run_front`
// by one at a time.
//
// Work has a position, from 1 in the order of `push`. What is released in between has none: it only waits
// for the work before it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <muster/devices/device.hpp>

namespace muster {

struct host_work {
  std::string name;
  std::function<void()> run;  // empty: only releases `keeps`
  std::shared_ptr<const void> keeps;
  bool counts = false;  // a launch, not a copy
  std::size_t bytes_reduced = 0;
  std::size_t bytes_moved = 0;  // what a simulated device takes time for
};

class host_stream {
 public:
  explicit host_stream(std::string kind) : kind_(std::move(kind)) {}

  status push(host_work work);
  /// Drops the owner once everything pushed before has run: at once when nothing is under way.
  void release(std::shared_ptr<const void> owner);

  std::uint64_t record();
  [[nodiscard]] event_progress progress_of(std::uint64_t position) const;
  [[nodiscard]] status failure() const;
  [[nodiscard]] device_counters counters() const;
  void on_progress(std::function<void()> wake);

  /// Runs the oldest work, sets the floating-point mode for it, and counts it as `cost`, or as what it took.
  /// Does nothing when there is none.
  void run_front(std::optional<duration> cost = std::nullopt);
  /// Bytes that the oldest work moves; nothing when there is none.
  [[nodiscard]] std::optional<std::size_t> front_bytes() const;

  /// Blocks until there is work (true) or the stream is closed (false).
  bool wait_for_work();
  /// Drops what has not begun; nothing can be pushed afterwards and nobody is woken.
  void close();
  /// Whether no work runs any more; waits for it at most that long.
  bool wait_until_quiet(duration longest);

 private:
  using work_queue = std::deque<host_work>;
  void fail_locked(status why, work_queue& dropped);
  bool drop_leading_releases_locked(work_queue& dropped);
  host_work take_front();
  void finish(const host_work& work, status outcome, duration took);

  const std::string kind_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  work_queue queue_;
  std::size_t waiting_ = 0;  // of queue_, without releases
  std::uint64_t pushed_ = 0, finished_ = 0, recorded_ = 0;
  bool running_ = false, closed_ = false;
  status failure_;
  device_counters counters_;
  std::function<void()> wake_;  // set once, before the first push
};

}  // namespace muster
