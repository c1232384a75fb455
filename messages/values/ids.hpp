// Strong ids: a rank is not a device index, and neither is a count. Values; any thread may use them.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

namespace muster {

/// A number that means one thing. Two ids of different tags neither compare nor convert.
template <class Tag, class Rep>
struct strong_id {
  using rep = Rep;
  Rep value{};
  friend constexpr auto operator<=>(strong_id, strong_id) = default;
};

/// The number of a host in its world, 0 <= rank < world size.
using rank = strong_id<struct rank_tag, std::uint32_t>;

/// The number of a device over all hosts: hosts in rank order, and each host's devices in local order.
using device_index = strong_id<struct device_index_tag, std::uint32_t>;

/// The number of an agreed membership. 0 is the world that is still joining; the first table is 1.
using generation = strong_id<struct generation_tag, std::uint64_t>;

/// The number of a verdict in its generation's log, from 1. `decided_through` is such a number; 0 is none.
using verdict_number = strong_id<struct verdict_number_tag, std::uint64_t>;

/// Names a local call until its outcome is known; chosen by the caller of a core, unique per host.
using ticket = strong_id<struct ticket_tag, std::uint64_t>;

/// The launcher's supervisor: it talks to hosts but has no rank in the world, no devices and no data.
inline constexpr rank launcher_rank{0xffff'fffe};

/// One life of a rank: 128 random bits, compared for equality only. Which life is current is what the
/// generation's table says, never which of two is "greater".
struct incarnation {
  std::array<std::uint64_t, 2> bits{};
  friend constexpr bool operator==(const incarnation&, const incarnation&) = default;
};

std::string to_string(rank);
std::string to_string(generation);
std::string to_string(const incarnation&);  // 32 hexadecimal digits

}  // namespace muster
