// What `muster run` was asked to do. A value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/time.hpp>
#include <muster/runtime/host_options.hpp>

namespace muster {

/// What happens to the others when a host fails: SIGTERM at once and SIGKILL after the grace
/// period, or nothing, until they end by themselves.
enum class on_failure : std::uint8_t { stop, wait };

struct launch_options {
  std::uint32_t hosts = 1;
  device_request devices = {};  // of each host
  std::string job = {};         // empty: a name of its own
  on_failure after_failure = on_failure::stop;
  duration grace = limits::grace_default;  // between our SIGTERM and SIGKILL
  duration drain = limits::drain_default;  // between a signal passed on and SIGKILL
  std::optional<duration> timeout = {};    // of the whole run
  bool prefix = true;                      // "[rank] " before each line
  std::vector<std::string> command = {};   // program and arguments
};

}  // namespace muster
