// What can be asked of a device actor. Plain structs, sent to it as CAF messages by any actor of this
// process, the host actor or an extender's own; they hold functions and shared bytes and never leave the
// process (control.hpp has what travels).
//
// Each command is answered exactly once, in the order in which the device finishes, also when the actor
// ends before the work does. With `done` the answer is that call, on the device actor's thread (where the
// command found the actor ended: on the thread that dropped it); it must not block or throw. Without `done`
// the answer is a reply message to the sender: `launch_done` for launch_kernel, `fold_done` for the other
// two; a request that found the actor ended gets CAF's own error.
//
// The status of an answer: ok; invalid_argument (the text names the rule that was broken; nothing was
// launched); resource_exhausted (limits::device_commands_max are in flight, or the device has no memory);
// device_error (the device failed: its own text; the actor ends after it has answered everything);
// cancelled (the actor ended before the work did). After any answer the device no longer touches what the
// command referred to, save for a kernel that outlasts limits::device_close_max at the actor's end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <caf/allowed_unsafe_message_type.hpp>

#include <muster/actors/shells/answer.hpp>
#include <muster/devices/device.hpp>
#include <muster/messages/values/array.hpp>
#include <muster/messages/values/control.hpp>
#include <muster/messages/values/operation.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

/// Run a function on the device's stream, after everything asked before. `name` goes into errors and
/// traces. What it reads and writes must live until the answer.
struct launch_kernel {
  std::string name;
  host_kernel kernel;
  std::size_t bytes_reduced = 0;
  answer<> done;
};

/// Make a contribution of this device's leaves, folded as far as the order allows. Every array must have
/// the dtype and shape that `said` names; every leaf is below said.leaf_count and comes once. Not finished:
/// a mean is not divided yet.
struct reduce_cover {
  signature said;
  std::vector<std::pair<std::uint64_t, array>> leaves;
  answer<contribution> done;
};

/// Combine contributions, whose parts are disjoint, as far as the order allows. With `finish` they must
/// cover all leaves, and the answer is one frame in the result type (mean: divided).
struct fold_partials {
  signature said;
  bool finish = false;
  std::vector<contribution> inputs;
  answer<contribution> done;
};

/// The reply to a launch_kernel that has no `done`.
struct launch_done {
  status outcome;
};

/// The reply to a reduce_cover or fold_partials that has no `done`.
struct fold_done {
  status outcome;
  contribution result;  // empty unless ok
};

/// How is it going? Answered at once with a device_report, also while a kernel runs.
struct ask_device {};

struct device_report {
  std::string kind;  // as device::kind()
  status failure;    // ok, or the sticky error
  device_counters counters;
  std::size_t in_flight = 0;   // commands that are not answered yet
  std::uint64_t answered = 0;  // commands answered so far
};

}  // namespace muster

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::launch_kernel)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::reduce_cover)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::fold_partials)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::launch_done)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::fold_done)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::ask_device)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::device_report)
