#include <muster/runtime/launcher/child_environment.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace muster {
namespace {

constexpr std::array<std::string_view, 11> ours = {
    "MUSTER_JOB=",        "MUSTER_RANK=",     "MUSTER_WORLD_SIZE=", "MUSTER_ROOT=",
    "MUSTER_HOSTS=",      "MUSTER_LAUNCHER=", "MUSTER_BIND=",       "MUSTER_ADVERTISE=",
    "MUSTER_CREDENTIAL=", "MUSTER_DEVICES=",  "MUSTER_TERMINAL="};

bool is_ours(const std::string& entry) {
  return std::any_of(ours.begin(), ours.end(), [&](auto name) { return entry.starts_with(name); });
}

}  // namespace

std::vector<std::string> child_environment(const std::vector<std::string>& inherited,
                                           const world_facts& world, rank self, bool watched) {
  std::vector<std::string> out;
  std::remove_copy_if(inherited.begin(), inherited.end(), std::back_inserter(out), is_ours);
  out.push_back("MUSTER_JOB=" + world.job);
  out.push_back("MUSTER_RANK=" + std::to_string(self.value));
  out.push_back("MUSTER_WORLD_SIZE=" + std::to_string(world.world_size));
  out.push_back("MUSTER_LAUNCHER=" + world.launcher);
  out.push_back("MUSTER_CREDENTIAL=" + world.credential);
  out.push_back("MUSTER_DEVICES=" + to_string(world.devices));
  out.push_back(std::string("MUSTER_TERMINAL=") + (watched ? "1" : "0"));
  return out;
}

}  // namespace muster
