// All that a host actor is given. The same struct in production and in the simulator; only what stands
// behind the interfaces differs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <muster/actors/shells/clock_source.hpp>
#include <muster/actors/shells/reactor_client.hpp>
#include <muster/actors/shells/rendezvous.hpp>
#include <muster/messages/transport/transport.hpp>
#include <muster/messages/values/control.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster {

/// What a host tells whoever watches it. Called on the host actor's thread: must not block, throw, or run a
/// user's code. Each may be empty.
struct host_observer {
  std::function<void(const std::string&)> joining;  // why the join waits
  std::function<void(const stalled&)> stalled;      // an operation that this host waits in
  std::function<void(const std::string&)> fenced;   // this host takes no further part
  std::function<void(const std::string&)>
      notice;  // a peer that refuses us, a link that was re-made
};

struct host_actor_config {
  std::string job;
  muster::rank self{};
  std::uint32_t world_size = 1;
  muster::incarnation incarnation;

  std::shared_ptr<transport> over;  // used by the host actor alone until shut_down hands it back
  rendezvous_options meet;
  std::vector<caf::actor>
      devices;  // at least one; the first also folds what comes from other hosts

  const clock_source* clock = nullptr;   // outlives the actor
  client_registry* served_by = nullptr;  // outlives the actor
  caf::execution_unit* unit = nullptr;   // the reactor; nullptr: whatever scheduler the system has

  duration lease = limits::lease_default;
  std::uint32_t fan_out = limits::fan_out_default;
  host_observer observer;
};

}  // namespace muster
