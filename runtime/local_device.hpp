// A handle on one device of this host. Any thread; copies are the same device.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <caf/actor.hpp>

#include <muster/devices/device.hpp>
#include <muster/messages/values/ids.hpp>
#include <muster/runtime/op.hpp>

namespace muster {

class local_device {
 public:
  local_device(caf::actor actor, std::shared_ptr<const device> counters, device_index index,
               std::weak_ptr<blocking_driver> driver);

  /// Its number over all hosts.
  [[nodiscard]] device_index index() const { return index_; }
  /// "cpu:0", "simulated".
  [[nodiscard]] std::string kind() const;
  /// Launches so far, bytes reduced, busy time.
  [[nodiscard]] device_counters counters() const;

  /// Runs `kernel` on the device's stream, after all that was launched before. What it reads and writes
  /// must live until the op is done, also when the op is dropped. Errors: device_error when the kernel
  /// throws (the device is then lost) or the device has failed before; resource_exhausted when
  /// limits::device_commands_max launches are in flight.
  op<void> launch(std::string name, host_kernel kernel) const;

  /// For actors of the extender: takes the messages of device_messages.hpp.
  [[nodiscard]] const caf::actor& actor() const { return actor_; }

 private:
  caf::actor actor_;
  std::shared_ptr<const device> device_;
  device_index index_;
  std::weak_ptr<blocking_driver> driver_;
};

}  // namespace muster
