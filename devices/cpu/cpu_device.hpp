// The CPU as a device: one stream that runs on a thread of its own. Any thread may make one; it is used as
// device.hpp says.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include <muster/devices/device.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster {

struct cpu_device_options {
  /// Among this host's devices; only names the thread ("muster-cpu:1"), for debuggers.
  std::uint32_t index = 0;
  /// What allocate() may give out at a time.
  std::size_t memory_bytes = std::numeric_limits<std::size_t>::max();
  /// How long close() waits for the launch that runs. Its thread is then detached; it ends with that launch.
  duration close_max = limits::device_close_max;
};

std::unique_ptr<device> make_cpu_device(cpu_device_options options = {});

}  // namespace muster
