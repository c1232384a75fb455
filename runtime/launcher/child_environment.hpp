// The environment of each host that `muster run` starts. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include <muster/messages/values/ids.hpp>
#include <muster/runtime/host_options.hpp>

namespace muster {

/// What all hosts of a run are told.
struct world_facts {
  std::string job;
  std::string credential;
  std::string launcher;  // host:port,host:port
  std::uint32_t world_size = 1;
  device_request devices;
};

/// "NAME=value" entries: those of `inherited`, without the variables that describe a world, which
/// are then set to this one. Other MUSTER_* variables pass through. `watched`: what it prints is
/// seen on a terminal.
std::vector<std::string> child_environment(const std::vector<std::string>& inherited,
                                           const world_facts& world, rank self, bool watched);

}  // namespace muster
