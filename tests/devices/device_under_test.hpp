// The back ends that the conformance suite and the reduction tests run on, behind one small face: a device
// and a way to let it work until an event is settled. No sleep and no clock: the CPU's wake is waited for
// with a bound, the simulated device's work is run by hand.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <muster/devices/cpu/cpu_device.hpp>
#include <muster/devices/device.hpp>
#include <muster/devices/simulated/simulated_device.hpp>

namespace muster::test {

class device_under_test {
 public:
  virtual ~device_under_test() = default;
  virtual muster::device& get() = 0;
  /// Lets the device work until the event is done or failed; pending only when it hangs.
  virtual event_progress settle(const device_event& event) = 0;
  event_progress settle_all() { return settle(get().record()); }
};

class cpu_under_test final : public device_under_test {
 public:
  explicit cpu_under_test(cpu_device_options options = {}) : device_(make_cpu_device(options)) {
    device_->on_progress([this] {
      std::lock_guard lock(mutex_);
      woken_.notify_all();
    });
  }
  muster::device& get() override { return *device_; }
  event_progress settle(const device_event& event) override {
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, std::chrono::minutes(1),
                    [&] { return device_->query(event) != event_progress::pending; });
    return device_->query(event);
  }

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  std::unique_ptr<muster::device> device_;  // last: its thread wakes us until it is gone
};

/// Keeps what simulated devices schedule until it is told to run it, in order of time.
class hand_driver final : public simulated_device_driver {
 public:
  void schedule(duration cost, std::function<void()> run) override {
    due_.push_back({cost, std::move(run)});
  }
  bool run_next() {
    if (due_.empty()) return false;
    auto next = std::move(due_.front());
    due_.pop_front();
    elapsed_ += next.cost;
    next.run();
    return true;
  }
  [[nodiscard]] duration elapsed() const { return elapsed_; }

 private:
  struct entry {
    duration cost;
    std::function<void()> run;
  };
  std::deque<entry> due_;
  duration elapsed_{};
};

class simulated_under_test final : public device_under_test {
 public:
  explicit simulated_under_test(simulated_device_options options = {})
      : device_(make_simulated_device(driver_, options)) {}
  muster::device& get() override { return *device_; }
  event_progress settle(const device_event& event) override {
    while (device_->query(event) == event_progress::pending && driver_.run_next()) {
    }
    return device_->query(event);
  }
  hand_driver& driver() { return driver_; }

 private:
  hand_driver driver_;
  std::unique_ptr<muster::device> device_;
};

inline std::unique_ptr<device_under_test> make_device_under_test(const std::string& kind,
                                                                 std::size_t memory_bytes) {
  if (kind == "cpu")
    return std::make_unique<cpu_under_test>(
        cpu_device_options{.index = 0, .memory_bytes = memory_bytes});
  simulated_device_options options;
  options.memory_bytes = memory_bytes;
  return std::make_unique<simulated_under_test>(options);
}

}  // namespace muster::test
