// Who takes part: one host's record, and the generation's table of them. Values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <muster/messages/values/ids.hpp>

namespace muster {

/// What a host says of itself when it joins.
struct member {
  muster::rank rank{};
  muster::incarnation incarnation;
  std::string control_endpoint;  // where peers dial it, for example "tcp://127.0.0.1:40123"
  std::string bulk_endpoint;
  std::uint32_t device_count = 0;
  friend bool operator==(const member&, const member&) = default;
};

/// An agreed, numbered membership: members[i].rank == rank{i}.
struct member_table {
  muster::generation generation{};
  std::vector<member> members;
  friend bool operator==(const member_table&, const member_table&) = default;

  [[nodiscard]] std::uint32_t world_size() const {
    return static_cast<std::uint32_t>(members.size());
  }
  /// The global index of a host's first device: devices of lower ranks come first.
  [[nodiscard]] device_index first_device(muster::rank of) const {
    std::uint32_t n = 0;
    for (const auto& m : members) {
      if (m.rank == of) break;
      n += m.device_count;
    }
    return device_index{n};
  }
  /// Whose device that is. Only for one of the table's devices; else the last host.
  [[nodiscard]] muster::rank host_of(device_index device) const {
    std::uint32_t n = 0;
    for (const auto& m : members)
      if ((n += m.device_count) > device.value) return m.rank;
    return members.back().rank;
  }
  [[nodiscard]] std::uint32_t device_count() const {
    std::uint32_t n = 0;
    for (const auto& m : members) n += m.device_count;
    return n;
  }
};

}  // namespace muster
