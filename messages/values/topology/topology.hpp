// What devices a world has: every host describes its own, and merging them numbers all of them. Values and one pure
// function; any thread. Source of the semantics: the topology exchange of XLA's distributed runtime.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/layouts/mesh.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

struct local_device {
  std::uint32_t ordinal = 0;  // on its host; unique there, not necessarily dense
  device_kind kind = device_kind::cpu;
  std::string name;
  std::string vendor;
  std::uint32_t core_count = 0;
  std::string
      fabric_id;  // of the fast interconnect that it is plugged into; empty: none or unknown
  friend bool operator==(const local_device&, const local_device&) = default;
};

/// What one host says of itself.
struct local_topology {
  rank host;
  std::string boot_id;                           // hosts with the same one run on one machine
  std::optional<std::uint32_t> partition_index;  // explicit: all hosts of a world give one, or none
  std::vector<local_device> devices;             // in local order
  friend bool operator==(const local_topology&, const local_topology&) = default;
};

struct global_device {
  device_index index;
  rank host;
  std::uint32_t partition = 0;
  local_device description;
  friend bool operator==(const global_device&, const global_device&) = default;
};

/// Where every partition has as many hosts, and every host as many devices, as any other.
struct topology_symmetry {
  std::uint32_t partitions = 0;
  std::uint32_t hosts_per_partition = 0;
  std::uint32_t devices_per_host = 0;
  friend bool operator==(const topology_symmetry&, const topology_symmetry&) = default;
};

struct global_topology {
  std::vector<global_device> devices;         // by index: 0, 1, 2, ...
  std::optional<topology_symmetry> symmetry;  // nothing where it is not symmetric
  friend bool operator==(const global_topology&, const global_topology&) = default;
};

/// The topology of a world of world_size hosts, from what they said in any order; the same whatever the order.
///
/// Partitions are the explicit indices, where hosts give them; else one per fabric, where every device of the world
/// is plugged into one; else one per boot id; these two are numbered in the order of the ranks. Devices are numbered by
/// partition, then host, then local order.
///
/// A host may say the same twice. invalid_argument, with hosts and both values: a world of none or of more than
/// limits::world_size_max, a host that says something else the second time, a rank outside the world, a host that said
/// nothing, an explicit index at some hosts only, one ordinal twice, and (where fabrics count) one host on two fabrics.
result<global_topology> merge(std::span<const local_topology> said, std::uint32_t world_size);

}  // namespace muster
