// A thread that runs functions one after another: for what may block and must not be waited for where it is
// ordered, such as printing and closing. Any thread may post; an ordinary thread makes and destroys it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace muster {

class worker_thread {
 public:
  /// Keeps at most `queue_max` functions that wait.
  explicit worker_thread(std::size_t queue_max);
  /// Runs what is queued, then ends.
  ~worker_thread();
  worker_thread(const worker_thread&) = delete;
  worker_thread& operator=(const worker_thread&) = delete;

  /// False, and the function is dropped, when the queue is full.
  bool post(std::function<void()> work);

 private:
  void run();

  const std::size_t queue_max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace muster
