#include <muster/messages/values/cluster/cluster_queries.hpp>

#include <utility>

#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

status outside(rank host, std::size_t hosts) {
  return invalid_argument("rank " + to_string(host) +
                          " must be below the number of hosts, which is " + std::to_string(hosts));
}

}  // namespace

bool is_alone(const cluster_config& config) { return config.world_size == 1; }

result<std::string> full_host_name(const cluster_config& config, rank host) {
  if (host.value >= config.world_size) return outside(host, config.world_size);
  return config.job + "/host:" + to_string(host);
}

result<std::uint32_t> global_device_count(std::span<const std::uint32_t> devices_by_host) {
  if (devices_by_host.size() > limits::world_size_max)
    return invalid_argument(std::to_string(devices_by_host.size()) + " hosts must be at most " +
                            std::to_string(limits::world_size_max));
  // The largest world with the most devices on each host stays far below 32 bits.
  std::uint32_t sum = 0;
  for (std::size_t r = 0; r < devices_by_host.size(); ++r) {
    const auto count = devices_by_host[r];
    if (count == 0 || count > limits::devices_per_host_max)
      return invalid_argument("the device count " + std::to_string(count) + " of rank " +
                              std::to_string(r) + " must be from 1 to " +
                              std::to_string(limits::devices_per_host_max));
    sum += count;
  }
  return sum;
}

result<device_range> local_devices(std::span<const std::uint32_t> devices_by_host, rank host) {
  if (host.value >= devices_by_host.size()) return outside(host, devices_by_host.size());
  if (auto all = global_device_count(devices_by_host); !all) return all.why();
  const auto first = global_device_count(devices_by_host.first(host.value)).value();
  return device_range{device_index{first}, devices_by_host[host.value]};
}

result<std::vector<std::string>> full_device_names(const cluster_config& config,
                                                   std::span<const std::uint32_t> devices_by_host,
                                                   rank host) {
  if (devices_by_host.size() != config.world_size)
    return invalid_argument("device counts of " + std::to_string(devices_by_host.size()) +
                            " hosts must be as many as the world has, which is " +
                            std::to_string(config.world_size));
  auto local = local_devices(devices_by_host, host);
  if (!local) return local.why();
  const auto name = full_host_name(config, host).value();
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < local->count; ++i)
    out.push_back(name + "/device:" + std::to_string(i));
  return out;
}

}  // namespace muster
