// What a host must know to join its world, read from an environment by the grammar that stands in
// runtime/host_options.hpp. A value; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/messages/values/cluster/address.hpp>
#include <muster/messages/values/cluster/environment.hpp>
#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/status.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

struct device_request {
  enum class kind : std::uint8_t { any, cpu };
  kind wanted = kind::any;  // any: the best that this build and machine have
  std::uint32_t count = 1;
  friend bool operator==(const device_request&, const device_request&) = default;
};

/// `N` or `cpu:N`, 1 to limits::devices_per_host_max. An error's text is the rule alone.
result<device_request> parse_devices(std::string_view text);
std::string to_string(const device_request&);  // "2", "cpu:2"

struct cluster_config {
  /// Both lanes of the supervisor.
  struct launcher_address {
    address control;
    address bulk;
    friend bool operator==(const launcher_address&, const launcher_address&) = default;
  };

  std::string job = "alone";
  muster::rank rank{0};
  std::uint32_t world_size = 1;
  std::vector<address> root = {};
  std::vector<address> hosts = {};  // all of them by rank, where they are known; root is the first
  std::optional<launcher_address> launcher = {};
  std::optional<address> bind = {};       // port 0: the one that ROOT names at rank 0, else any
  std::optional<address> advertise = {};  // port 0: the one that is bound
  std::string credential = {};
  device_request devices = {};
  duration join_timeout = limits::join_timeout_default;
  duration lease = limits::lease_default;
  std::uint32_t fan_out = limits::fan_out_default;
  bool terminal = false;

  /// Reads the environment by the grammar. The error is an invalid_argument that lists every
  /// problem with its variable, value (never the credential's) and rule.
  static result<cluster_config> from_environment(const environment&);

  friend bool operator==(const cluster_config&, const cluster_config&) = default;
};

}  // namespace muster
