// The plan that takes an array from one layout to another on the same devices. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <muster/messages/values/array.hpp>
#include <muster/messages/values/layouts/layout.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

/// A box of the global array that one device hands to another, or keeps (`from == to`).
struct relayout_step {
  device_index from;
  device_index to;
  array_slice slice;
  friend bool operator==(const relayout_step&, const relayout_step&) = default;
};

/// Every element that a device must hold afterwards comes to it exactly once. A device takes nothing that it
/// already holds, so no plan moves fewer elements; among replicas that could send, one on the same host comes
/// first, then the one that has sent the least so far, then the lowest index: the same plan on every host.
struct relayout_plan {
  std::vector<relayout_step> steps;  // sorted by target's mesh position, then slice
  std::int64_t moved = 0;            // elements with from != to
  std::int64_t moved_between_hosts = 0;
  std::int64_t kept = 0;
};

/// Both layouts are without match, of `global`'s rank, and on meshes of exactly the same devices on the same hosts (in
/// any order and shape); else invalid_argument with both sides' values. limits::relayout_steps_max bounds the plan:
/// beyond it resource_exhausted.
result<relayout_plan> plan_relayout(const layout& from, const layout& to,
                                    const shape_vector& global);

}  // namespace muster
