// The runtime of one process: an actor system, the reactor's thread, and any number of hosts that join worlds.
// Made and destroyed by an ordinary thread; join and join_async may be called from any thread that may
// block on a name server.
//
//     muster::runtime rt;
//     auto host = rt.join(muster::host_options::from_environment().value()).value();
//
// It installs no signal handler, no atexit function and no logger, and its threads take no signal.
#pragma once

#include <cstddef>
#include <memory>

#include <muster/messages/values/status.hpp>
#include <muster/runtime/host.hpp>
#include <muster/runtime/host_options.hpp>
#include <muster/runtime/op.hpp>
#include <muster/runtime/report.hpp>

namespace caf {
class actor_system;
}

namespace muster {

struct runtime_options {
  /// What hosts have to tell people: why a join waits, who is missing from an operation. Empty: nothing.
  report_sink reports = report_to_stderr;
  /// Threads for custom actors; ours have their own.
  std::size_t actor_threads = 2;
  /// An actor system of the embedding program, which outlives the runtime and its hosts. Null: one of its own.
  caf::actor_system* system = nullptr;
};

class runtime {
 public:
  explicit runtime(runtime_options options = {});
  /// Closes the hosts that are left, in bounded time. Their handles stay valid and say `unavailable`.
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Meets the others: blocks until all are there, at most options.join_timeout and a lease. Errors:
  /// invalid_argument (an option, or an address that can't be bound), deadline_exceeded (who is missing, or
  /// which address does not answer), refused, duplicate_rank.
  result<host> join(const host_options& options);
  op<host> join_async(const host_options& options);

 private:
  class core;
  std::shared_ptr<core> core_;
};

}  // namespace muster
