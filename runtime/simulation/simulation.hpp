// A whole world of virtual hosts in one thread and in virtual time: the same cores, actors, transport logic and
// coroutines as in production; only the six seams differ. For tests of trainers and of custom actors.
//
//     muster::simulation world{{.seed = 7, .hosts = 4, .devices_per_host = 2}};
//     world.start_everywhere([](muster::host& h) -> muster::task<void> { co_await h.barrier("x"); });
//     EXPECT_TRUE(world.run().ok());
//
// Used by the thread that made it, and by nothing else. The same options give the same trace in every process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <muster/messages/transport/sim/sim_network.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/status.hpp>
#include <muster/runtime/host.hpp>
#include <muster/runtime/simulation/trace.hpp>
#include <muster/runtime/task.hpp>

namespace muster {

struct simulation_options {
  std::uint64_t seed = 1;
  std::uint32_t hosts = 4;
  std::uint32_t devices_per_host = 1;
  /// Where hosts differ: the devices of each; then `hosts` and `devices_per_host` are not looked at.
  std::vector<std::uint32_t> devices = {};
  std::uint32_t fan_out = limits::fan_out_default;
  duration lease = limits::lease_default;
  duration join_timeout = limits::join_timeout_default;
  sim_network_options network = {};  // its seed is derived from ours
  /// Each join begins at a random moment of this span.
  duration start_spread = std::chrono::milliseconds(1);
  /// The last events that are kept as text, for the log of a failure.
  std::size_t trace_lines_max = 0;
};

class simulation {
 public:
  using body = std::function<task<void>(host&)>;

  explicit simulation(simulation_options options = {});
  /// Ends every host where it stands. Asserts that no actor has escaped to a thread of its own.
  ~simulation();
  simulation(const simulation&) = delete;
  simulation& operator=(const simulation&) = delete;

  /// What a virtual host does once it has joined. Without a body it joins and stays. Before the first run.
  void start(rank, body);
  void start_everywhere(body);

  /// Runs until every body has ended. ok when all ended well; else the first failure by rank. `unavailable`
  /// when nothing is left to happen before that, deadline_exceeded when virtual time passes `limit`.
  status run(duration limit = std::chrono::hours(24));

  /// Runs until every host has joined; ok, or why one could not.
  status join();

  /// How the body of a host ended; would_block while it runs.
  [[nodiscard]] status outcome(rank) const;

  /// A host that has joined, for the test's own thread: `world.at(r).barrier("x").wait()` runs the simulation.
  [[nodiscard]] host& at(rank);

  /// What happens at a moment of virtual time, counted from the start: a fault, or anything else.
  void after(duration, std::function<void()>);
  /// Faults of links; see sim_network.
  [[nodiscard]] sim_network& network();
  /// Every launch of that device takes `factor` times as long from now on.
  void slow_down(rank, std::uint32_t device, std::uint32_t factor);

  [[nodiscard]] time_point now() const;
  [[nodiscard]] const trace& events() const;
  [[nodiscard]] std::uint32_t world_size() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The command-line of a run that is the same again: seed and placement, one line.
std::string to_string(const simulation_options&);

}  // namespace muster
