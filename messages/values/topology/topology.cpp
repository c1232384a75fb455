#include <muster/messages/values/topology/topology.hpp>

#include <algorithm>
#include <map>
#include <set>

#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/rank_set.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {
namespace {

std::string shown(const std::optional<std::uint32_t>& index) {
  return index ? std::to_string(*index) : "none";
}

std::string shown(const local_device& d) {
  return "ordinal " + std::to_string(d.ordinal) + ", " + std::string(to_string(d.kind)) + " " +
         in_quotes(d.name) + " by " + in_quotes(d.vendor) + ", " + std::to_string(d.core_count) +
         " cores, fabric " + in_quotes(d.fabric_id);
}

/// What differs between two things that one host said.
std::string difference(const local_topology& a, const local_topology& b) {
  if (a.boot_id != b.boot_id)
    return "boot id " + in_quotes(a.boot_id) + " and then " + in_quotes(b.boot_id);
  if (a.partition_index != b.partition_index)
    return "partition index " + shown(a.partition_index) + " and then " + shown(b.partition_index);
  if (a.devices.size() != b.devices.size())
    return std::to_string(a.devices.size()) + " devices and then " +
           std::to_string(b.devices.size());
  const auto [one, other] = std::ranges::mismatch(a.devices, b.devices);
  return "device (" + shown(*one) + ") and then (" + shown(*other) + ")";
}

using by_rank = std::map<rank, const local_topology*>;

status gather(std::span<const local_topology> said, std::uint32_t world_size, by_rank& out) {
  if (world_size == 0) return invalid_argument("a world has at least one host");
  if (world_size > limits::world_size_max)
    return invalid_argument("a world of " + std::to_string(world_size) + " hosts: it has at most " +
                            std::to_string(limits::world_size_max));
  for (const auto& local : said) {
    if (local.host.value >= world_size)
      return invalid_argument("host " + to_string(local.host) +
                              " describes its devices, but the world has " +
                              std::to_string(world_size) + " hosts");
    const auto [at, first] = out.emplace(local.host, &local);
    if (!first && *at->second != local)
      return invalid_argument(
          "host " + to_string(local.host) +
          " describes its devices in two ways: " + difference(*at->second, local));
    std::set<std::uint32_t> ordinals;
    for (const auto& d : local.devices)
      if (!ordinals.insert(d.ordinal).second)
        return invalid_argument("host " + to_string(local.host) + " has ordinal " +
                                std::to_string(d.ordinal) + " twice");
  }
  rank_set missing;
  for (std::uint32_t r = 0; r < world_size; ++r)
    if (!out.contains(rank{r})) missing.insert(rank{r});
  if (missing.empty()) return {};
  return invalid_argument("hosts " + to_string(missing) + " have not described their devices");
}

/// All or none; the error names a host of each kind.
result<bool> is_explicit(const by_rank& locals) {
  const auto has = [](const auto& entry) { return entry.second->partition_index.has_value(); };
  const auto with = std::ranges::find_if(locals, has);
  const auto without = std::ranges::find_if_not(locals, has);
  if (with == locals.end()) return false;
  if (without == locals.end()) return true;
  return invalid_argument("host " + to_string(with->first) + " gives partition index " +
                          shown(with->second->partition_index) + " and host " +
                          to_string(without->first) +
                          " gives none: all hosts give one, or none does");
}

bool all_on_fabrics(const by_rank& locals) {
  bool any = false;
  for (const auto& [host, local] : locals)
    for (const auto& d : local->devices) {
      if (d.fabric_id.empty()) return false;
      any = true;
    }
  return any;
}

/// Numbers texts in the order in which they come.
class numbering {
 public:
  std::uint32_t of(const std::string& text) {
    return numbers_.emplace(text, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<std::string, std::uint32_t> numbers_;
};

result<std::map<rank, std::uint32_t>> partitions_of(const by_rank& locals) {
  const auto given = is_explicit(locals);
  if (!given) return given.why();
  const bool fabrics = !*given && all_on_fabrics(locals);
  std::map<rank, std::uint32_t> out;
  numbering number;
  for (const auto& [host, local] : locals) {
    if (*given) {
      out[host] = *local->partition_index;
      continue;
    }
    if (!fabrics || local->devices.empty()) {
      out[host] = number.of("boot " + local->boot_id);  // without devices a host is in no fabric
      continue;
    }
    const auto& fabric = local->devices.front().fabric_id;
    for (const auto& d : local->devices)
      if (d.fabric_id != fabric)
        return invalid_argument("host " + to_string(host) + " is on two fabrics, " +
                                in_quotes(fabric) + " and " + in_quotes(d.fabric_id) +
                                ": a host belongs to one partition");
    out[host] = number.of("fabric " + fabric);
  }
  return out;
}

std::optional<topology_symmetry> symmetry_of(const by_rank& locals,
                                             const std::map<rank, std::uint32_t>& partitions) {
  std::map<std::uint32_t, std::uint32_t> hosts;
  for (const auto& [host, partition] : partitions) ++hosts[partition];
  const auto each = locals.begin()->second->devices.size();
  for (const auto& [partition, count] : hosts)
    if (count != hosts.begin()->second) return {};
  for (const auto& [host, local] : locals)
    if (local->devices.size() != each) return {};
  return topology_symmetry{static_cast<std::uint32_t>(hosts.size()), hosts.begin()->second,
                           static_cast<std::uint32_t>(each)};
}

}  // namespace

result<global_topology> merge(std::span<const local_topology> said, std::uint32_t world_size) {
  by_rank locals;
  if (auto why = gather(said, world_size, locals); !why.ok()) return why;
  const auto partitions = partitions_of(locals);
  if (!partitions) return partitions.why();
  global_topology out;
  for (const auto& [host, local] : locals)
    for (const auto& d : local->devices) out.devices.push_back({{}, host, partitions->at(host), d});
  std::ranges::stable_sort(out.devices, {}, &global_device::partition);
  for (std::uint32_t i = 0; i < out.devices.size(); ++i) out.devices[i].index = device_index{i};
  out.symmetry = symmetry_of(locals, *partitions);
  return out;
}

}  // namespace muster
