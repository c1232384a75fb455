// A thread that runs functions one after another: for what may block and must not be waited for where it is
// ordered, such as printing and closing. Any thread may post; an ordinary thread makes and destroys it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace muster {

class worker_thread {
 public:
  /// Keeps at most `queue_max` functions that wait.
  explicit worker_thread(std::size_t queue_max);
  /// Runs what is queued, then ends; on its own thread it ends later, by itself.
  ~worker_thread();
  worker_thread(const worker_thread&) = delete;
  worker_thread& operator=(const worker_thread&) = delete;

  /// False, and the function is dropped, when the queue is full.
  bool post(std::function<void()> work);

 private:
  struct state {  // shared with the thread
    explicit state(std::size_t most) : queue_max(most) {}
    void run();
    const std::size_t queue_max;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> work;
    bool ending = false;
  };
  std::shared_ptr<state> state_;
  std::thread thread_;
};

}  // namespace muster
