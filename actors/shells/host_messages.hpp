// What can be asked of a host actor. Plain structs, sent to it as CAF messages from any thread of this
// process; they hold functions and shared bytes and never leave it (control.hpp has what travels).
//
// Every `done` is called exactly once, on the host actor's thread, also when the actor ends first (then
// with `unavailable`); it must not block, throw, or run a user's code.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <caf/allowed_unsafe_message_type.hpp>

#include <muster/actors/protocols/collective.hpp>
#include <muster/messages/transport/transport.hpp>
#include <muster/messages/values/member.hpp>

namespace muster {

/// Meet the others. Once; a second one is answered invalid_argument.
struct start_join {
  std::function<void(status, member_table)> done;
};

/// Take part in an operation of the current generation. An ordered one with `said.members` is on the tree of that group
/// and matches by the calls in that group. Without a contribution it follows as
/// `contribution_ready`: ordered operations still arrive in the order of these messages, and the
/// deadlines count from this one. The ticket is chosen by the sender, unique per host actor.
struct start_operation {
  muster::ticket ticket{};
  signature said;
  deadlines remaining{limits::soft_default, limits::hard_default};
  std::optional<muster::contribution> contribution;
  std::function<void(status, muster::contribution)> done;
};

/// The contribution of an operation that was started without one, or why there is none: the operation
/// then fails everywhere with that cause.
struct contribution_ready {
  muster::ticket ticket{};
  status outcome;
  muster::contribution contribution;
};

/// The caller wants its pending operation to fail with this cause. It may be too late.
struct cancel_operation {
  muster::ticket ticket{};
  status cause;
};

/// The named operation is to fail at all its members (empty: everyone's) with this cause: the round that is open, or
/// else the next one. Nothing is answered.
struct abort_named {
  abort_operation what;
};

/// End. After a `leave` it first waits, at most one lease, until the host may close its links. `done` gets
/// the transport, so that its last frames leave while somebody else waits for them: whoever takes it calls
/// close() or drops it.
struct shut_down {
  std::function<void(std::shared_ptr<transport>)> done;
};

/// How is it going? Answered with a host_report.
struct ask_host {};

struct host_report {
  muster::generation generation{};
  bool fenced = false;
  collective::sizes tables;  // of the current generation, all groups together
  std::size_t groups = 0;    // beside the world
  std::size_t calls_pending = 0;
  std::map<std::string, std::uint64_t> ignored;  // inputs that meant nothing, by reason
  transport_counters transport;
};

}  // namespace muster

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::start_join)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::start_operation)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::contribution_ready)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::cancel_operation)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::abort_named)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::shut_down)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::ask_host)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::host_report)
