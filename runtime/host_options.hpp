// What a host must know to join its world, and how the environment says it. A value; any thread.
//
//   MUSTER_JOB           the job's name, the same on every host
//   MUSTER_RANK          this host, 0 to world size - 1
//   MUSTER_WORLD_SIZE    how many hosts
//   MUSTER_ROOT          host:port,...: where rank 0 listens, and other hosts that may know it.
//                        The port is that of the control lane; the bulk lane has the next one
//   MUSTER_LAUNCHER      host:port,host:port: control and bulk lane of the supervisor of
//                        `muster run`, instead of ROOT
//   MUSTER_BIND          host[:port]: where this host listens; `*` is every interface
//   MUSTER_ADVERTISE     host[:port]: what it tells others to dial
//   MUSTER_CREDENTIAL    a secret that all hosts share
//   MUSTER_JOIN_TIMEOUT  how long to wait for the others, 5min
//   MUSTER_LEASE         how long a promise holds, 5s
//   MUSTER_FAN_OUT       children per node of the tree of hosts, 16
//   MUSTER_DEVICES       how many devices: 2, or cpu:2; 1 when not set
//   MUSTER_TERMINAL      1 when what this host prints is seen live on a terminal, else 0
//
// JOB, RANK, WORLD_SIZE and one of ROOT and LAUNCHER go together (a world of 1 needs no root).
// Without any of them the world is this host alone, and then only DEVICES and TERMINAL mean
// anything: the rest is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/status.hpp>
#include <muster/messages/values/time.hpp>
#include <muster/runtime/address.hpp>
#include <muster/runtime/environment.hpp>

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

struct host_options {
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
  std::optional<launcher_address> launcher = {};
  std::optional<address> bind = {};       // port 0: the one that ROOT names at rank 0, else any
  std::optional<address> advertise = {};  // port 0: the one that is bound
  std::string credential = {};
  device_request devices = {};
  duration join_timeout = limits::join_timeout_default;
  duration lease = limits::lease_default;
  std::uint32_t fan_out = limits::fan_out_default;
  bool terminal = false;

  /// Reads the environment by the grammar above. The error is an invalid_argument that lists every
  /// problem with its variable, value (never the credential's) and rule.
  static result<host_options> from_environment(const environment& = process_environment());

  friend bool operator==(const host_options&, const host_options&) = default;
};

/// Where a host listens and what it tells others to dial; ports of 0 are chosen when binding, and
/// an advertised port of 0 is the bound one. The bulk lane has the next port, or any.
struct listening {
  address bind;
  address advertise;
  friend bool operator==(const listening&, const listening&) = default;
};

/// What `bind` and `advertise` say, or what the rest suggests: this machine only under a launcher
/// or a root on it, every interface otherwise, advertised by the address that faces the root. May
/// ask the resolver, and then blocks as long as that does.
result<listening> listening_of(const host_options&);

}  // namespace muster
