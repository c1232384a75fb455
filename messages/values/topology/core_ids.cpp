#include <muster/messages/values/topology/core_ids.hpp>

#include <map>
#include <numeric>

#include <muster/messages/values/rank_set.hpp>

namespace muster {
namespace {

using by_rank = std::map<rank, const host_cores*>;

status gather(std::span<const host_cores> said, std::span<const std::uint32_t> devices_of_hosts,
              by_rank& out) {
  for (const auto& s : said) {
    if (s.host.value >= devices_of_hosts.size())
      return invalid_argument("host " + to_string(s.host) + " says core ids, but the world has " +
                              std::to_string(devices_of_hosts.size()) + " hosts");
    if (!out.emplace(s.host, &s).second)
      return invalid_argument("host " + to_string(s.host) + " says its core ids twice");
    if (const auto devices = devices_of_hosts[s.host.value]; s.ids.size() != devices)
      return invalid_argument("host " + to_string(s.host) + " has " + std::to_string(devices) +
                              " devices and says " + std::to_string(s.ids.size()) + " core ids");
  }
  rank_set silent;
  for (std::uint32_t r = 0; r < devices_of_hosts.size(); ++r)
    if (!out.contains(rank{r})) silent.insert(rank{r});
  if (silent.empty()) return {};
  return invalid_argument("hosts " + to_string(silent) + " have not said their core ids");
}

}  // namespace

result<std::vector<std::uint32_t>> merge_core_ids(std::span<const host_cores> said,
                                                  std::span<const std::uint32_t> devices_of_hosts) {
  by_rank hosts;
  if (auto why = gather(said, devices_of_hosts, hosts); !why.ok()) return why;
  const auto total =
      std::accumulate(devices_of_hosts.begin(), devices_of_hosts.end(), std::uint64_t{0});
  std::map<std::uint32_t, rank> owners;
  std::vector<std::uint32_t> out;
  for (const auto& [host, cores] : hosts)
    for (auto id : cores->ids) {
      const auto [at, first] = owners.emplace(id, host);
      if (!first)
        return invalid_argument(
            "core " + std::to_string(id) + " is claimed by host " + to_string(at->second) +
            (at->second == host ? " twice" : " and by host " + to_string(host)));
      out.push_back(id);
    }
  // As many different ids as devices: one is missing exactly when one is too large.
  if (owners.empty() || owners.rbegin()->first < total) return out;
  rank_set missing;  // prints as ranges
  for (std::uint32_t id = 0; id < total; ++id)
    if (!owners.contains(id)) missing.insert(rank{id});
  const auto& [id, host] = *owners.rbegin();
  return invalid_argument("core " + std::to_string(id) + " of host " + to_string(host) +
                          " is not below the " + std::to_string(total) +
                          " devices of the world, and nobody has " + to_string(missing));
}

}  // namespace muster
