// Reductions on a device: which launches make one contribution out of several. Called by the device's
// thread; nothing here waits. The order is plan_fold's and order.hpp's, so the bytes of the result do not
// depend on how leaves were spread over devices and hosts, nor on which partials are combined first.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <muster/devices/device.hpp>
#include <muster/messages/values/array.hpp>
#include <muster/messages/values/control.hpp>
#include <muster/messages/values/operation.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

/// A reduction that was queued. Keep it whole until `done` is done; then `result` may be read (and `inputs`
/// dropped). When `done` has failed, `result` is garbage.
struct started_reduction {
  device_event done;
  contribution result;
  std::vector<device_buffer> inputs;
};

/// Whether arrays like these can be reduced: an all_reduce whose reduction, dtype, shape and leaf count this
/// build knows. invalid_argument with the field and the rule otherwise.
status check_reduction(const signature& said);

/// The cover of one device: its leaves, added as far as the order allows. Every array must have the dtype
/// and shape of `said`; every leaf is below said.leaf_count and comes once (else invalid_argument). No leaves
/// make an empty contribution.
result<started_reduction> start_cover(device& on, const signature& said,
                                      std::span<const std::pair<std::uint64_t, array>> leaves);

/// Contributions to one, as far as the order allows; with `finish` they must stand for all leaves together,
/// and the result is one frame in the result type. invalid_argument when parts overlap, are no subtrees or
/// do not suffice, or when a frame has not the size of the array: inputs come from peers.
/// resource_exhausted and device errors as the device says. Partials that meet no other are passed on as
/// they are, without a launch.
result<started_reduction> start_fold(device& on, const signature& said, bool finish,
                                     std::span<const contribution> inputs);

}  // namespace muster
