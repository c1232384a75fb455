// The transport of one host on a simulated network. Used by the driver's thread only.
#pragma once

#include <functional>
#include <memory>

#include <muster/messages/transport/sim/sim_network.hpp>
#include <muster/messages/transport/transport.hpp>

namespace muster {

struct sim_options {
  /// Where peers dial us. Empty: "sim://<rank>/control" and "sim://<rank>/bulk", which a later life
  /// of the rank takes over.
  endpoints bind{};
  /// Called whenever the network has put something there for poll() to find. It must not call back.
  std::function<void()> wake{};
  int lane_queue_max = limits::lane_queue_max;
};

/// Where a rank without an address of its own is dialled.
endpoints sim_endpoints(rank);

/// The network must outlive it.
std::unique_ptr<transport> make_sim_transport(sim_network&, transport_identity, sim_options = {});

/// The bare connections, to speak anything on them.
std::unique_ptr<carrier> make_sim_carrier(sim_network&, rank, sim_options = {});

}  // namespace muster
