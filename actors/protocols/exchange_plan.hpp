// Which way the bytes of one stream go: from the host that holds them to those that are to have them. The same on every
// host that knows the members; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <muster/messages/values/ids.hpp>

namespace muster {

/// One host's part in a stream: it gets the bytes from one peer, or has them, and passes them on to others.
struct stream_plan {
  std::uint32_t id = 0;  // in the operation
  rank source{};
  std::uint64_t bytes = 0;
  std::optional<rank> from;  // nothing at the source, and where the stream does not pass
  std::vector<rank> to;

  [[nodiscard]] bool passes(rank self) const { return self == source || from.has_value(); }
  friend bool operator==(const stream_plan&, const stream_plan&) = default;
};

/// To all members, who are given in order, along a tree whose root is the source: the members in their order, as a ring that is cut before it.
/// A fan-out of 1 is a chain, on which many streams from all members load every host alike.
stream_plan spread(std::uint32_t id, rank source, std::uint64_t bytes,
                   std::span<const rank> members, rank self, std::uint32_t fan_out);

/// To one host.
stream_plan direct(std::uint32_t id, rank source, rank target, std::uint64_t bytes, rank self);

}  // namespace muster
