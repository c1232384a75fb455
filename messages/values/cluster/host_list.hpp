// All hosts of a world in rank order, as one variable has them. Pure; any thread. An error's text is
// the rule alone ("must be ...") with the entry that breaks it.
#pragma once

#include <string_view>
#include <vector>

#include <muster/messages/values/cluster/address.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

/// `host:port,...`: rank 0 first, at most limits::world_size_max. Each entry takes its port and the
/// next, which no other entry of the same host (as it is written, in any case) may take. Host names
/// that differ by one number, such as node-2 and node-10, stand in its order; whoever sorts them as
/// text, or lists them in another order on another machine, would number the hosts wrongly.
result<std::vector<address>> parse_hosts(std::string_view text);

}  // namespace muster
