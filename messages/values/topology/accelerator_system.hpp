// When a process may open and close its accelerators, and what comes next: a state machine without I/O.
// The caller carries out each step that it is given and says how it went; the machine never waits or asks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/messages/values/ensure.hpp>
#include <muster/messages/values/layouts/mesh.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/status.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {

struct accelerator_request {
  std::string device_type = "cpu";  // exactly "cpu" or "cuda"
  std::uint32_t hosts = 1;          // of the world; one of one has nobody to join or leave
  std::uint32_t physical_gpus = 0;  // of this host
  std::uint32_t logical_gpus = 0;   // of this host
  bool needs_own_gpus = false;      // the collectives' library can't share a physical device
  std::uint32_t cpus = 1;           // logical CPU devices that are there anyway
  std::optional<std::uint32_t> wanted_cpus;
};

/// The number of logical CPU devices: each local cuda device has one of its own. An error names value and rule.
inline result<std::uint32_t> logical_cpus_of(const accelerator_request& r) {
  const auto kind = device_kind_named(r.device_type);
  if (!kind)
    return invalid_argument("device type " + in_quotes(r.device_type) +
                            ": must be 'cpu' or 'cuda'");
  const bool gpu = kind == device_kind::cuda;
  if (r.hosts == 0) return invalid_argument("0 hosts: a world has at least 1");
  if (gpu && r.needs_own_gpus && r.logical_gpus > r.physical_gpus)
    return invalid_argument(std::to_string(r.logical_gpus) + " logical cuda devices on " +
                            std::to_string(r.physical_gpus) +
                            " physical ones: these collectives need a physical device for each");
  const std::uint32_t accelerators = gpu ? r.logical_gpus : 0;
  if (r.wanted_cpus && *r.wanted_cpus < accelerators)
    return invalid_argument(std::to_string(*r.wanted_cpus) + " logical CPU devices beside " +
                            std::to_string(accelerators) +
                            " local cuda devices: there must be at least as many");
  return r.wanted_cpus.value_or(std::max(r.cpus, accelerators));
}

class accelerator_system {
 public:
  enum class step : std::uint8_t {
    open_devices,
    join_world,   // only with more than one host
    leave_world,  // only with more than one host: ends when all hosts leave
    close_devices,
    none,  // settled: `outcome` has the verdict
  };

  /// Refused, without any effect, unless the system is shut down.
  result<step> initialize(const accelerator_request& request) {
    if (running_ || due_ != step::none)
      return refuse("initialize", "already initialized; shut it down first");
    if (auto cpus = logical_cpus_of(request); !cpus) return cpus.why();
    first_ = {};
    attached_.clear();
    unlisted_ = 0;
    many_hosts_ = request.hosts > 1;
    return due_ = step::open_devices;
  }

  /// Refused, without any effect, unless the system is running.
  result<step> shut_down() {
    if (!running_) return refuse("shut down", "not initialized; initialize it first");
    running_ = false;
    return due_ = many_hosts_ ? step::leave_world : step::close_devices;
  }

  /// How the step that is due went. What was opened is closed again, whatever fails before or after.
  result<step> done(status how) {
    if (due_ == step::none) return refuse("report a step's end", "waiting for none");
    const bool went_well = how.ok();
    note(std::move(how));
    return due_ = after(due_, went_well);
  }

  /// An error that came up beside the steps, such as an asynchronous one of a device.
  result<void> fail(status why) {
    ensure(!why.ok(), "a failure says why");
    if (!running_ && due_ == step::none)
      return error(status_code::invalid_argument, refusal("report an error", "shut down"));
    note(std::move(why));
    return {};
  }

  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] step due() const { return due_; }
  /// Since the last `initialize`: ok, or the FIRST error, with the later ones at the end of its text.
  [[nodiscard]] status outcome() const {
    status all = first_;
    for (const auto& later : attached_) all.text += "; then " + to_string(later);
    if (unlisted_ > 0) all.text += "; then " + std::to_string(unlisted_) + " more";
    return all;
  }

 private:
  static std::string refusal(std::string_view what, std::string_view why) {
    return "can't " + std::string(what) + ": the accelerator system is " + std::string(why);
  }
  static status refuse(std::string_view what, std::string_view why) {
    return error(status_code::invalid_argument, refusal(what, why));
  }

  step after(step ended, bool went_well) {
    if (ended == step::leave_world) return step::close_devices;
    if (ended == step::join_world && !went_well) return step::close_devices;
    if (ended == step::open_devices && !went_well) return step::close_devices;
    if (ended == step::open_devices && many_hosts_) return step::join_world;
    running_ = ended != step::close_devices;
    return step::none;
  }

  void note(status how) {
    if (how.ok()) return;
    if (first_.ok())
      first_ = std::move(how);
    else if (attached_.size() < limits::attached_errors_max)
      attached_.push_back(std::move(how));
    else
      ++unlisted_;
  }

  bool running_ = false;
  bool many_hosts_ = false;
  step due_ = step::none;
  status first_;
  std::vector<status> attached_;
  std::uint64_t unlisted_ = 0;
};

}  // namespace muster
