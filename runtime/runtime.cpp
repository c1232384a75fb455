#include <muster/runtime/runtime.hpp>

#include <sys/random.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>
#include <caf/thread_hook.hpp>

#include <muster/actors/shells/device_actor.hpp>
#include <muster/actors/shells/host_actor.hpp>
#include <muster/actors/shells/no_signals_scope.hpp>
#include <muster/actors/shells/reactor.hpp>
#include <muster/devices/cpu/cpu_device.hpp>
#include <muster/messages/transport/zmq/zmq_transport.hpp>
#include <muster/messages/values/ensure.hpp>
#include <muster/runtime/host_ending.hpp>
#include <muster/runtime/host_state.hpp>
#include <muster/runtime/worker_thread.hpp>

namespace muster {

namespace {

/// Threads of the actor system run actors: nobody may block on an operation there.
class no_blocking_hook final : public caf::thread_hook {
 public:
  void init(caf::actor_system&) override {}
  void thread_started() override { scope.emplace(); }
  void thread_terminates() override { scope.reset(); }

 private:
  static thread_local std::optional<no_blocking_scope> scope;
};
thread_local std::optional<no_blocking_scope> no_blocking_hook::scope;

struct system_config : caf::actor_system_config {
  explicit system_config(std::size_t threads) {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", threads);
    add_thread_hook<no_blocking_hook>();
  }
};

incarnation random_incarnation() {
  incarnation out;
  const auto got = getrandom(out.bits.data(), sizeof out.bits, 0);
  ensure(got == static_cast<ssize_t>(sizeof out.bits), "the kernel gives random bits");
  return out;
}

std::string zmq_endpoint(const address& a, std::uint16_t port) {
  auto text = endpoint_of({a.host, 0});
  text.erase(text.rfind(':') + 1);
  return text + (port == 0 ? "*" : std::to_string(port));
}

/// The bulk lane listens at the port after the control lane's, where that one is given.
std::uint16_t bulk_port(std::uint16_t control) {
  return control == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(control + 1);
}

endpoints endpoints_of(const address& a) {
  return {endpoint_of(a), endpoint_of({a.host, bulk_port(a.port)})};
}

/// Adds to why we can't listen which setting asked for it, by the variable that a person has set.
status with_setting(status why, const host_options& options) {
  if (why.code != status_code::invalid_argument) return why;
  if (options.bind) {
    auto value = to_string(*options.bind);
    if (options.bind->port == 0) value.erase(value.rfind(':'));
    why.text +=
        "; MUSTER_BIND is '" + value + "': it must be an address of this host with a free port";
  } else if (!options.hosts.empty()) {
    why.text += "; MUSTER_HOSTS has rank " + to_string(options.rank) + " at '" +
                to_string(options.hosts[options.rank.value]) +
                "': it listens at that port and the next, and both must be free";
  } else if (options.rank == rank{0} && !options.root.empty()) {
    why.text += "; MUSTER_ROOT is '" + to_string(options.root.front()) +
                "': rank 0 listens at that port and the next, and both must be free";
  }
  return why;
}

result<std::unique_ptr<transport>> make_transport(const host_options& options,
                                                  const incarnation& life) {
  auto where = listening_of(options);
  if (!where) return where.why();
  zmq_options zmq;
  zmq.bind_control = zmq_endpoint(where->bind, where->bind.port);
  zmq.bind_bulk = zmq_endpoint(where->bind, bulk_port(where->bind.port));
  zmq.advertise_control = zmq_endpoint(where->advertise, where->advertise.port);
  zmq.advertise_bulk = zmq_endpoint(where->advertise, bulk_port(where->advertise.port));
  auto made =
      make_zmq_transport({options.job, options.credential, options.rank, life}, std::move(zmq));
  if (!made) return with_setting(made.why(), options);
  return made;
}

rendezvous_options meeting_of(const host_options& options) {
  rendezvous_options out;
  for (const auto& a : options.root) out.root.push_back(endpoints_of(a));
  if (options.launcher)
    out.launcher =
        endpoints{endpoint_of(options.launcher->control), endpoint_of(options.launcher->bulk)};
  if (!options.hosts.empty()) out.root_setting = "MUSTER_HOSTS";
  out.timeout = options.join_timeout;
  out.report_after = std::min(out.report_after, options.join_timeout);
  return out;
}

status check(const host_options& o) {
  auto rule = [](std::string text) {
    return error(status_code::invalid_argument, std::move(text));
  };
  if (o.world_size == 0 || o.world_size > limits::world_size_max)
    return rule("world_size " + std::to_string(o.world_size) + " must be from 1 to " +
                std::to_string(limits::world_size_max));
  if (o.rank.value >= o.world_size)
    return rule("rank " + to_string(o.rank) + " must be below the world size " +
                std::to_string(o.world_size));
  if (o.devices.count == 0 || o.devices.count > limits::devices_per_host_max)
    return rule("devices " + std::to_string(o.devices.count) + " must be from 1 to " +
                std::to_string(limits::devices_per_host_max));
  if (o.fan_out < 2) return rule("fan_out " + std::to_string(o.fan_out) + " must be at least 2");
  if (o.world_size > 1 && o.root.empty() && !o.launcher)
    return rule("a world of " + std::to_string(o.world_size) +
                " needs the address of its root or of its launcher");
  if (!o.hosts.empty() &&
      (o.hosts.size() != o.world_size || o.root != std::vector{o.hosts.front()}))
    return rule("hosts names " + std::to_string(o.hosts.size()) + ": the world size, which is " +
                std::to_string(o.world_size) + ", must be that, and root the first of them");
  return {};
}

}  // namespace

class runtime::core {
 public:
  explicit core(runtime_options options)
      : reports_(std::move(options.reports)),
        printer_(std::make_shared<worker_thread>(limits::reports_max)),
        closer_(std::make_shared<worker_thread>(limits::world_size_max)) {
    no_signals_scope inherited;
    if (!options.system) {
      config_.emplace(options.actor_threads);
      own_system_.emplace(*config_);
    }
    system_ = options.system ? options.system : &*own_system_;
    reactor_.emplace(*system_, clock_, [] { return std::make_shared<no_blocking_scope>(); });
  }

  op<host> join(const std::shared_ptr<core>& self, const host_options& options);
  void close();

 private:
  host_observer observer_of(rank who) const;
  bool remember(const std::shared_ptr<host_ending>& h, duration lease);

  steady_clock_source clock_;
  report_sink reports_;
  std::shared_ptr<worker_thread> printer_;
  std::shared_ptr<worker_thread> closer_;
  std::optional<system_config> config_;
  std::optional<caf::actor_system> own_system_;
  caf::actor_system* system_ = nullptr;
  std::optional<reactor> reactor_;
  std::mutex mutex_;  // guards what is below
  std::vector<std::shared_ptr<host_ending>> hosts_;
  bool closed_ = false;
  duration longest_lease_ = limits::lease_default;
};

runtime::runtime(runtime_options options) : core_(std::make_shared<core>(std::move(options))) {}
runtime::~runtime() { core_->close(); }
result<host> runtime::join(const host_options& options) {
  if (!blocking_allowed())
    return error(status_code::would_block,
                 "join waits for other hosts, and this thread may not: use join_async");
  return join_async(options).wait();
}
op<host> runtime::join_async(const host_options& options) { return core_->join(core_, options); }

result<host> host::join(const host_options& options) {
  auto rt = std::make_shared<runtime>();
  auto joined = rt->join(options);
  if (!joined) return joined;
  auto& end = joined->state_->parts.end;
  end = [rt = std::move(rt), end = std::move(end)]() mutable {
    auto how = end();
    rt.reset();
    return how;
  };
  return joined;
}

host_observer runtime::core::observer_of(rank who) const {
  if (!reports_) return {};
  auto say = [printer = printer_, sink = reports_, who](report::kind what, std::string text) {
    printer->post([sink, r = report{what, who, std::move(text)}] { sink(r); });
  };
  return {[say](const std::string& why) { say(report::kind::joining, why); },
          [say](const stalled& s) { say(report::kind::stalled, to_string(s)); },
          [say](const std::string& why) { say(report::kind::fenced, why); },
          [say](const std::string& text) { say(report::kind::notice, text); }};
}

bool runtime::core::remember(const std::shared_ptr<host_ending>& h, duration lease) {
  std::lock_guard lock(mutex_);
  if (closed_) return false;
  std::erase_if(hosts_, [](const auto& other) { return other->ended(); });
  hosts_.push_back(h);
  longest_lease_ = std::max(longest_lease_, lease);
  return true;
}

op<host> runtime::core::join(const std::shared_ptr<core>& self, const host_options& options) {
  if (auto why = check(options); !why.ok()) return op<host>::completed(std::move(why));
  const auto life = random_incarnation();
  auto over = make_transport(options, life);
  if (!over) return op<host>::completed(over.why());

  no_signals_scope inherited;  // by the threads of the devices
  std::vector<std::shared_ptr<device>> devices;
  host_actor_config config;
  for (std::uint32_t i = 0; i < options.devices.count; ++i) {
    devices.push_back(make_cpu_device({.index = i}));
    config.devices.push_back(
        system_->spawn<device_actor, caf::detached + caf::hidden>(devices.back()));
  }
  config.job = options.job;
  config.self = options.rank;
  config.world_size = options.world_size;
  config.incarnation = life;
  config.over = std::move(*over);
  config.meet = meeting_of(options);
  config.clock = &clock_;
  config.served_by = &*reactor_;
  config.unit = &*reactor_;
  config.lease = options.lease;
  config.fan_out = options.fan_out;
  config.observer = observer_of(options.rank);
  auto actors = config.devices;
  auto actor = system_->spawn<host_actor, caf::hidden>(std::move(config));
  auto ending = std::make_shared<host_ending>(actor, actors, closer_);
  if (!remember(ending, options.lease)) {
    ending->begin();
    return op<host>::completed(error(status_code::unavailable, "join: the runtime is closing"));
  }

  const auto patience = options.lease + limits::linger_max + limits::lease_default;
  auto end = [self, ending, patience]() -> status {
    ending->begin();
    return blocking_allowed() ? ending->wait_for(patience) : status{};
  };
  op_promise<host> joined;
  auto out = joined.get_op();
  joined.on_cancel([ending] { ending->begin(); });
  caf::anon_send(actor, start_join{[=](status outcome, member_table table) {
                   if (!outcome.ok()) {
                     ending->begin();
                     joined.complete(std::move(outcome));
                     return;
                   }
                   host_parts parts{actor, options.rank, std::move(table), {}, {}, false, end};
                   const auto first = parts.table.first_device(options.rank).value;
                   for (std::uint32_t i = 0; i < devices.size(); ++i)
                     parts.devices.emplace_back(actors[i], devices[i], device_index{first + i},
                                                std::weak_ptr<blocking_driver>());
                   joined.complete(host(std::move(parts)));
                 }});
  return out;
}

void runtime::core::close() {
  std::vector<std::shared_ptr<host_ending>> left;
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    left.swap(hosts_);
  }
  for (const auto& h : left) h->begin();
  for (const auto& h : left)
    [[maybe_unused]] auto ended = h->wait_for(longest_lease_ + limits::linger_max);
  reactor_->stop();
}

}  // namespace muster
