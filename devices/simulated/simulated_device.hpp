// A device without a thread: its launches run when a driver says so, in virtual time. Its memory, its
// arithmetic and its errors are the CPU back end's. Driver, device and buffers are used by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>

#include <muster/devices/device.hpp>

namespace muster {

/// Decides when the work of simulated devices is complete.
class simulated_device_driver {
 public:
  virtual ~simulated_device_driver() = default;

  /// Call `run` once, `cost` from now (or later, for a slow device), and not from within schedule(). A
  /// device has at most one such call outstanding. It does nothing when the device is gone by then.
  virtual void schedule(duration cost, std::function<void()> run) = 0;
};

/// What a launch or copy costs beside its bytes: about what starting a kernel takes on a GPU.
inline constexpr duration simulated_launch_cost = std::chrono::microseconds(10);
/// 10 GB/s, about what one core adds in a fold from memory.
inline constexpr std::uint64_t simulated_bytes_per_microsecond = 10'000;

struct simulated_device_options {
  duration launch_cost = simulated_launch_cost;
  std::uint64_t bytes_per_microsecond = simulated_bytes_per_microsecond;  // at least 1
  std::size_t memory_bytes =
      std::numeric_limits<std::size_t>::max();  // what allocate() may give out at a time
};

/// The driver must outlive the device. busy counts the costs, not what the work really took.
std::unique_ptr<device> make_simulated_device(simulated_device_driver& driver,
                                              simulated_device_options options = {});

}  // namespace muster
