// Which core every device of the world is: each host says the ids of its own, and together they must be a permutation.
// A pure function; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

/// What one host says: the core ids of its devices, in local order.
struct host_cores {
  rank host;
  std::vector<std::uint32_t> ids;
  friend bool operator==(const host_cores&, const host_cores&) = default;
};

/// Core ids by global device index: hosts in rank order, each one's in its own order; every id from 0 to n - 1 once.
/// `devices_of_hosts` has the number of devices of each rank, which may differ.
///
/// invalid_argument names hosts and ids: a host that said nothing or twice something, fewer or more ids than it has
/// devices, an id that two devices claim, an id that is not below n, and ids that nobody has. (Adding up vectors
/// with zeros where one has nothing to say, as a peer does, sees none of these.)
result<std::vector<std::uint32_t>> merge_core_ids(std::span<const host_cores> said,
                                                  std::span<const std::uint32_t> devices_of_hosts);

}  // namespace muster
