#include <muster/devices/simulated/simulated_device.hpp>

#include <utility>

#include <muster/devices/cpu/host_device.hpp>
#include <muster/messages/values/ensure.hpp>

namespace muster {

namespace {

// Asks the driver for one completion after the other while there is work. The driver holds it weakly: a
// completion that comes after the device is gone finds nobody.
class schedule : public std::enable_shared_from_this<schedule> {
 public:
  schedule(simulated_device_driver& driver, const simulated_device_options& options,
           std::shared_ptr<host_stream> stream)
      : driver_(driver), options_(options), stream_(std::move(stream)) {}

  void look() {
    const auto bytes = stream_->front_bytes();
    if (outstanding_ || !bytes) return;
    outstanding_ = true;
    const auto cost =
        options_.launch_cost + duration(*bytes * 1'000 / options_.bytes_per_microsecond);
    driver_.schedule(cost, [weak = weak_from_this(), cost] {
      if (auto self = weak.lock()) self->run(cost);
    });
  }

 private:
  void run(duration cost) {
    outstanding_ = false;
    stream_->run_front(cost);
    look();
  }

  simulated_device_driver& driver_;
  const simulated_device_options options_;
  const std::shared_ptr<host_stream> stream_;
  bool outstanding_ = false;
};

class simulated_device final : public host_device {
 public:
  simulated_device(simulated_device_driver& driver, const simulated_device_options& options)
      : host_device("simulated", options.memory_bytes),
        schedule_(std::make_shared<schedule>(driver, options, stream())) {
    ensure(options.bytes_per_microsecond > 0,
           "a simulated device moves at least one byte per microsecond");
  }
  ~simulated_device() override { close(); }
  simulated_device(const simulated_device&) = delete;
  simulated_device& operator=(const simulated_device&) = delete;

  void close() final { stream()->close(); }

 private:
  void work_pushed() override { schedule_->look(); }

  std::shared_ptr<schedule> schedule_;
};

}  // namespace

std::unique_ptr<device> make_simulated_device(simulated_device_driver& driver,
                                              simulated_device_options options) {
  return std::make_unique<simulated_device>(driver, options);
}

}  // namespace muster
