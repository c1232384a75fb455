#include <muster/runtime/simulation/simulation.hpp>

#include <optional>
#include <utility>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include <fmt/format.h>

#include <muster/actors/shells/device_actor.hpp>
#include <muster/actors/shells/host_actor.hpp>
#include <muster/actors/shells/host_messages.hpp>
#include <muster/messages/transport/sim/sim_transport.hpp>
#include <muster/messages/values/ensure.hpp>
#include <muster/runtime/run.hpp>
#include <muster/runtime/simulation/driver.hpp>

namespace muster {
namespace {

const std::string job_name = "simulation";

struct testing_config : caf::actor_system_config {
  testing_config() { set("scheduler.policy", caf::atom("testing")); }
};

caf::scheduler::test_coordinator& jobs_of(caf::actor_system& system) {
  auto* jobs = dynamic_cast<caf::scheduler::test_coordinator*>(&system.scheduler());
  ensure(jobs, "the simulation's actor system has the testing policy");
  return *jobs;
}

simulation_options normalised(simulation_options o) {
  if (o.devices.empty()) o.devices.assign(o.hosts, o.devices_per_host);
  o.hosts = static_cast<std::uint32_t>(o.devices.size());
  ensure(o.hosts >= 1 && o.hosts <= limits::world_size_max,
         "a world has 1 to world_size_max hosts");
  for (auto n : o.devices) ensure(n >= 1, "a host has at least one device");
  random_source seeds(o.seed);
  o.network.seed = seeds.next();
  return o;
}

/// What the network delivers, into the trace and at the driver's command.
class deliveries final : public delivery_source {
 public:
  deliveries(sim_network& network, trace& log) : network_(network), trace_(log) {}
  [[nodiscard]] std::optional<time_point> next_due() const override { return network_.next_due(); }
  void advance(time_point now) override { network_.advance(now); }
  void deliver_due(time_point now) override {
    while (network_.deliver_one(now))
      trace_.note(now, launcher_rank, "delivery", network_.delivered());
  }

 private:
  sim_network& network_;
  trace& trace_;
};

}  // namespace

struct simulation::state {
  struct virtual_host {
    host_seat* seat = nullptr;
    std::vector<std::unique_ptr<simulated_completions>> completions;
    std::vector<std::shared_ptr<device>> devices;
    std::vector<caf::actor> device_actors;
    caf::actor actor;
    std::optional<status> joined;
    std::optional<host> handle;
    simulation::body body;
    spawned running;
    std::optional<status> ended;
  };

  explicit state(simulation_options o)
      : options(normalised(std::move(o))),
        log(options.trace_lines_max),
        network(options.network),
        due(network, log),
        system(config),
        drive(std::make_shared<driver>(random_source(options.seed).next() ^ 1, jobs_of(system),
                                       log)) {
    drive->deliver_from(due);
    hosts.resize(options.hosts);
    for (std::uint32_t r = 0; r < options.hosts; ++r) build(rank{r});
  }

  ~state() {
    for (auto& h : hosts) h.running = {};
    for (auto& h : hosts) h.handle.reset();
    for (auto& h : hosts) {
      caf::anon_send_exit(h.actor, caf::exit_reason::kill);
      for (auto& d : h.device_actors) caf::anon_send_exit(d, caf::exit_reason::kill);
      h.actor = {};
      h.device_actors.clear();
    }
    while (jobs_of(system).has_job()) jobs_of(system).run_once();
    ensure(system.detached_actors() == 0, "no actor escapes a simulation to a thread of its own");
  }

  void build(rank r);
  void join(rank r);
  void enter(rank r, const member_table& table);
  [[nodiscard]] bool over() const {
    for (const auto& h : hosts)
      if (h.body ? !h.ended : !h.joined) return false;
    return true;
  }

  simulation_options options;
  trace log;
  sim_network network;
  deliveries due;
  testing_config config;
  caf::actor_system system;
  std::shared_ptr<driver> drive;  // seats outlive the host actors: those end in ~state
  std::vector<virtual_host> hosts;
};

void simulation::state::build(rank r) {
  auto& h = hosts[r.value];
  h.seat = &drive->add_seat();
  const incarnation life{{drive->random().next(), drive->random().next()}};
  for (std::uint32_t d = 0; d < options.devices[r.value]; ++d) {
    h.completions.push_back(std::make_unique<simulated_completions>(*drive, r, d));
    h.devices.push_back(make_simulated_device(*h.completions.back()));
    h.device_actors.push_back(system.spawn<device_actor>(h.devices.back()));
  }
  sim_options link;
  link.wake = [this, r] { drive->wake(r); };
  host_actor_config c;
  c.job = job_name;
  c.self = r;
  c.world_size = options.hosts;
  c.incarnation = life;
  c.over = make_sim_transport(network, {job_name, "", r, life}, std::move(link));
  if (r != rank{0}) c.meet.root = {sim_endpoints(rank{0})};
  c.meet.timeout = options.join_timeout;
  c.devices = h.device_actors;
  c.clock = &drive->clock();
  c.served_by = h.seat;
  c.lease = options.lease;
  c.fan_out = options.fan_out;
  h.actor = system.spawn<host_actor>(std::move(c));
  const auto spread = static_cast<std::uint64_t>(options.start_spread.count());
  drive->at(time_point(duration(static_cast<std::int64_t>(drive->random().below(spread + 1)))),
            [this, r] { join(r); });
}

void simulation::state::join(rank r) {
  caf::anon_send(
      hosts[r.value].actor, start_join{[this, r](status outcome, const member_table& table) {
        auto& h = hosts[r.value];
        log.note(drive->clock().now(), r, "joined", static_cast<std::uint64_t>(outcome.code));
        h.joined = outcome;
        if (!outcome.ok())
          h.ended = outcome;
        else
          enter(r, table);
      }});
}

void simulation::state::enter(rank r, const member_table& table) {
  auto& h = hosts[r.value];
  host_parts parts;
  parts.actor = h.actor;
  parts.self = r;
  parts.table = table;
  parts.driver = drive;
  parts.driven = true;
  parts.end = [actor = h.actor] {
    caf::anon_send(actor, shut_down{[](const std::shared_ptr<transport>& over) { over->close(); }});
    return status{};
  };
  for (std::uint32_t d = 0; d < h.devices.size(); ++d)
    parts.devices.emplace_back(h.device_actors[d], h.devices[d],
                               device_index{table.first_device(r).value + d}, drive);
  h.handle.emplace(std::move(parts));
  if (!h.body) return;
  h.running = spawn_on<void>(*h.seat, h.body(*h.handle), [this, r](result<void> ended) {
    log.note(drive->clock().now(), r, "ended", static_cast<std::uint64_t>(ended.why().code));
    hosts[r.value].ended = ended.why();
  });
}

simulation::simulation(simulation_options options)
    : state_(std::make_unique<state>(std::move(options))) {}
simulation::~simulation() = default;

void simulation::start(rank r, body what) {
  ensure(!state_->hosts.at(r.value).joined, "a body is given before the host has joined");
  state_->hosts[r.value].body = std::move(what);
}

void simulation::start_everywhere(body what) {
  for (std::uint32_t r = 0; r < world_size(); ++r) start(rank{r}, what);
}

status simulation::run(duration limit) {
  const auto until = time_point(limit);
  while (!state_->over())
    if (!state_->drive->step(until)) {
      for (const auto& h : state_->hosts)
        if (h.ended && !h.ended->ok()) return *h.ended;
      if (state_->drive->step())
        return error(status_code::deadline_exceeded, "virtual time passed the limit of the run");
      return error(status_code::unavailable, "nothing is left to happen, and a host has not ended");
    }
  for (const auto& h : state_->hosts)
    if (h.ended && !h.ended->ok()) return *h.ended;
  return {};
}

status simulation::join() {
  auto all_joined = [this] {
    for (const auto& h : state_->hosts)
      if (!h.joined) return false;
    return true;
  };
  if (auto why = state_->drive->drive_until(all_joined); !why.ok()) return why;
  for (const auto& h : state_->hosts)
    if (!h.joined->ok()) return *h.joined;
  return {};
}

status simulation::outcome(rank r) const {
  const auto& h = state_->hosts.at(r.value);
  return h.ended.value_or(error(status_code::would_block,
                                "the body of rank " + std::to_string(r.value) + " still runs"));
}

host& simulation::at(rank r) {
  auto& h = state_->hosts.at(r.value);
  if (!h.handle)
    throw status_error(error(status_code::unavailable,
                             "rank " + std::to_string(r.value) + " has not joined; call join()"));
  return *h.handle;
}

void simulation::after(duration d, std::function<void()> what) {
  state_->drive->at(time_point(d), std::move(what));
}
sim_network& simulation::network() { return state_->network; }
void simulation::slow_down(rank r, std::uint32_t device, std::uint32_t factor) {
  state_->hosts.at(r.value).completions.at(device)->slow_down(factor);
}
time_point simulation::now() const { return state_->drive->clock().now(); }
const trace& simulation::events() const { return state_->log; }
std::uint32_t simulation::world_size() const { return state_->options.hosts; }

std::string to_string(const simulation_options& o) {
  std::string placement;
  for (auto n : o.devices) placement += (placement.empty() ? "" : "+") + std::to_string(n);
  if (placement.empty()) placement = fmt::format("{} x {}", o.hosts, o.devices_per_host);
  return fmt::format("seed {}, {} devices, fan-out {}, {}", o.seed, placement, o.fan_out,
                     to_string(o.network));
}

}  // namespace muster
