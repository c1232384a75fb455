#include <muster/runtime/local_device.hpp>

#include <utility>

#include <caf/send.hpp>

#include <muster/actors/shells/device_messages.hpp>

namespace muster {

local_device::local_device(caf::actor actor, std::shared_ptr<const device> counters,
                           device_index index, std::weak_ptr<blocking_driver> driver)
    : actor_(std::move(actor)),
      device_(std::move(counters)),
      index_(index),
      driver_(std::move(driver)) {}

std::string local_device::kind() const { return std::string(device_->kind()); }

device_counters local_device::counters() const { return device_->counters(); }

op<void> local_device::launch(std::string name, host_kernel kernel) const {
  op_promise<void> ended;
  if (driver_.lock()) ended.drive_with(driver_);
  auto out = ended.get_op();
  caf::anon_send(actor_,
                 launch_kernel{std::move(name), std::move(kernel), 0,
                               [ended](status outcome) { ended.complete(std::move(outcome)); }});
  return out;
}

}  // namespace muster
