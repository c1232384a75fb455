// What can be asked of a configuration before anything runs: nothing is opened, dialled or waited
// for. Pure; any thread. Hosts may have different numbers of devices, and `devices_by_host` has them
// by rank, each from 1 to limits::devices_per_host_max.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <muster/messages/values/cluster/cluster_config.hpp>
#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

/// The devices of one host among those of all hosts: `count` from `first` on.
struct device_range {
  device_index first{};
  std::uint32_t count = 0;
  friend bool operator==(const device_range&, const device_range&) = default;
};

/// Whether this host is the whole world, whatever has said so.
bool is_alone(const cluster_config&);

/// "train/host:3". A rank outside of the world is an error.
result<std::string> full_host_name(const cluster_config&, rank);

/// How many devices all hosts have.
result<std::uint32_t> global_device_count(std::span<const std::uint32_t> devices_by_host);

/// The devices of `host`, numbered over all hosts.
result<device_range> local_devices(std::span<const std::uint32_t> devices_by_host, rank host);

/// "train/host:3/device:0" and so on, the devices of `host` by their number on it. There must be a
/// count for each host of the world.
result<std::vector<std::string>> full_device_names(const cluster_config&,
                                                   std::span<const std::uint32_t> devices_by_host,
                                                   rank host);

}  // namespace muster
