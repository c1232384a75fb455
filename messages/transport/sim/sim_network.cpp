#include <muster/messages/transport/sim/sim_network.hpp>

#include <algorithm>

namespace muster {
namespace {

// What headers of Ethernet, IP, TCP and ZeroMQ add to a small message.
constexpr std::size_t overhead_bytes = 80;

std::string microseconds(duration d) {
  return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(d).count());
}

std::string closed_text(const std::string& endpoint) {
  return "the connection to " + endpoint + " was closed";
}

}  // namespace

std::string to_string(const sim_network_options& o) {
  return "seed " + std::to_string(o.seed) + ", latency " + microseconds(o.latency_min) + " to " +
         microseconds(o.latency_max) + " us, loss " + std::to_string(o.loss) + ", " +
         std::to_string(o.bytes_per_second / 125'000) + " Mbit/s";
}

sim_network::sim_network(sim_network_options options) : options_(options), random_(options.seed) {}

std::optional<time_point> sim_network::next_due() const {
  if (queue_.empty()) return std::nullopt;
  return queue_.begin()->first.first;
}

void sim_network::advance(time_point now) { now_ = std::max(now_, now); }

bool sim_network::deliver_one(time_point now) {
  advance(now);
  if (queue_.empty() || queue_.begin()->first.first > now) return false;
  auto next = std::move(queue_.extract(queue_.begin()).mapped());
  ++delivered_;
  if (auto* d = std::get_if<delivery>(&next))
    arrive(d->flow, d->towards, std::move(d->cargo));
  else
    expire(std::get<silence>(next));
  return true;
}

// ---- faults

void sim_network::cut_link(rank a, rank b) { break_between(a, b, "the connection was reset"); }

void sim_network::drop_link(rank from, rank to) {
  if (!dropped_.emplace(std::pair{from, to}, now_).second) return;
  queue_.emplace(std::pair{after(now_, limits::silence_max), ++ids_}, silence{from, to, now_});
}

void sim_network::heal_link(rank from, rank to) {
  if (dropped_.erase({from, to}) == 0) return;
  for (auto& [id, f] : flows_)
    for (way towards : {way::to_listener, way::to_dialler}) {
      if (dropped(f, towards)) continue;
      for (auto& held : std::exchange(f.held_up[static_cast<std::size_t>(towards)], {}))
        schedule(id, towards, std::move(held), 0);
    }
}

void sim_network::exit(rank who) {
  for (auto it = hosts_.begin(); it != hosts_.end();) {
    const host_id id = it->first;
    const bool ends = it->second.rank == who;
    ++it;
    if (ends) detach(id, {});
  }
}

void sim_network::expire(const silence& s) {
  const auto it = dropped_.find({s.from, s.to});
  if (it != dropped_.end() && it->second == s.since)
    break_between(s.from, s.to, "nothing was heard for too long");
}

// ---- hosts and their pipes

sim_network::host_id sim_network::attach(rank who, endpoints local, std::function<void()> wake,
                                         std::size_t lane_queue_max) {
  const host_id id = ++ids_;
  listeners_[local.control] = id;
  listeners_[local.bulk] = id;
  hosts_.emplace(id, host{who, std::move(local), std::move(wake), lane_queue_max, {}, {}, {}});
  return id;
}

void sim_network::detach(host_id id, std::span<const pipe_id> lingering) {
  const auto it = hosts_.find(id);
  if (it == hosts_.end()) return;
  for (const auto& [pipe, f] : it->second.pipes) {
    if (std::ranges::find(lingering, pipe) != lingering.end())
      schedule(f, way::to_listener, finish{}, 0);
    else
      flows_.erase(f);
  }
  std::erase_if(listeners_, [id](const auto& entry) { return entry.second == id; });
  for (auto& [f, state] : flows_)
    if (state.listener == id) break_flow(f, state, {closed_text(state.endpoint)});
  hosts_.erase(it);
}

void sim_network::open(host_id id, pipe_id pipe, lane on, const std::string& endpoint) {
  const auto it = hosts_.find(id);
  if (it == hosts_.end()) return;
  const flow_id f = ++ids_;
  it->second.pipes.emplace(pipe, f);
  flow opened;
  opened.dialler = id;
  opened.dialler_rank = it->second.rank;
  opened.pipe = pipe;
  opened.lane = on;
  opened.endpoint = endpoint;
  flows_.emplace(f, std::move(opened));
  schedule(f, way::to_listener, call{}, 0);
}

bool sim_network::put(host_id id, pipe_id pipe, const payload& header,
                      std::span<const payload> frames) {
  const auto it = hosts_.find(id);
  if (it == hosts_.end()) return true;
  const auto used = it->second.pipes.find(pipe);
  const auto f = used == it->second.pipes.end() ? flows_.end() : flows_.find(used->second);
  if (f == flows_.end()) return true;  // broken, and the news is on its way
  if (f->second.queued >= it->second.lane_queue_max) {
    f->second.full = true;
    return false;
  }
  ++f->second.queued;
  std::size_t bytes = header.size();
  for (const auto& frame : frames) bytes += frame.size();
  schedule(f->first, way::to_listener, spoken{header, {frames.begin(), frames.end()}}, bytes);
  return true;
}

void sim_network::shut(host_id id, pipe_id pipe) {
  const auto it = hosts_.find(id);
  if (it == hosts_.end()) return;
  const auto used = it->second.pipes.find(pipe);
  if (used == it->second.pipes.end()) return;
  flows_.erase(used->second);
  it->second.pipes.erase(used);
}

void sim_network::answer(const caller_id& who, payload answer) {
  const std::size_t bytes = answer.size();
  schedule(std::stoull(who.key), way::to_dialler, answered{std::move(answer)}, bytes);
}

void sim_network::hang_up(const caller_id& who) {
  const auto it = flows_.find(std::stoull(who.key));
  if (it != flows_.end()) break_flow(it->first, it->second, {closed_text(it->second.endpoint)});
}

std::optional<carrier_event> sim_network::take(host_id id) {
  const auto it = hosts_.find(id);
  if (it == hosts_.end() || it->second.inbox.empty()) return std::nullopt;
  auto next = std::move(it->second.inbox.front());
  it->second.inbox.pop_front();
  if (const auto f = flows_.find(next.flow); f != flows_.end()) {
    const auto dialler = hosts_.find(f->second.dialler);
    --f->second.queued;
    if (f->second.full && dialler != hosts_.end() &&
        f->second.queued <= dialler->second.lane_queue_max / 2) {
      f->second.full = false;
      schedule(f->first, way::to_dialler, room{}, 0);
    }
  }
  return std::move(next.event);
}

bool sim_network::has_event(host_id id) const {
  const auto it = hosts_.find(id);
  return it != hosts_.end() && !it->second.inbox.empty();
}

// ---- what is on its way

void sim_network::schedule(flow_id id, way towards, cargo what, std::size_t bytes) {
  const auto it = flows_.find(id);
  if (it == flows_.end()) return;
  auto& f = it->second;
  const auto sender = hosts_.find(towards == way::to_listener ? f.dialler : f.listener);
  time_point leaves = now_;
  if (sender != hosts_.end()) {
    const auto wire_bytes = static_cast<double>(bytes + overhead_bytes);
    const duration busy{static_cast<duration::rep>(wire_bytes * 1e9 /
                                                   static_cast<double>(options_.bytes_per_second))};
    leaves = sender->second.egress_free = std::max(now_, sender->second.egress_free) + busy;
  }
  const auto latency = random_.between(static_cast<std::uint64_t>(options_.latency_min.count()),
                                       static_cast<std::uint64_t>(options_.latency_max.count()));
  time_point arrives = leaves + duration{static_cast<duration::rep>(latency)};
  while (options_.loss > 0 && random_.chance(options_.loss)) arrives += options_.retransmission;
  auto& last = f.last_arrival[static_cast<std::size_t>(towards)];
  last = arrives = std::max(arrives, last);
  queue_.emplace(std::pair{arrives, ++ids_}, delivery{id, towards, std::move(what)});
}

void sim_network::arrive(flow_id id, way towards, cargo what) {
  const auto it = flows_.find(id);
  if (it == flows_.end()) return;
  auto& f = it->second;
  const auto* end = std::get_if<broken>(&what);
  if (dropped(f, towards) && !(end && end->by_dialler)) {
    f.held_up[static_cast<std::size_t>(towards)].push_back(std::move(what));
    return;
  }
  std::visit([&](auto& c) { on(id, f, c); }, what);
}

void sim_network::on(flow_id id, flow& f, call&) {
  if (f.lost) return;
  f.listener_rank = rank_of_listener(f);
  f.listener = listener_at(f.endpoint);
  if (f.listener == 0) break_flow(id, f, {"nobody answers at " + f.endpoint});
}

void sim_network::on(flow_id id, flow& f, spoken& s) {
  if (f.lost) return;
  tell(f.listener,
       caller_spoke{{f.lane, std::to_string(id)}, std::move(s.header), std::move(s.frames)}, id);
}

void sim_network::on(flow_id id, flow&, finish&) { flows_.erase(id); }

void sim_network::on(flow_id, flow& f, answered& a) {
  tell(f.dialler, pipe_answered{f.pipe, std::move(a.answer)});
}

void sim_network::on(flow_id, flow& f, room&) { tell(f.dialler, pipe_room{f.pipe}); }

void sim_network::on(flow_id id, flow& f, broken& b) {
  tell(f.dialler, pipe_lost{f.pipe, std::move(b.why)});
  flows_.erase(id);
}

void sim_network::tell(host_id id, carrier_event event, flow_id of) {
  const auto it = hosts_.find(id);
  if (it == hosts_.end()) return;
  it->second.inbox.push_back({std::move(event), of});
  if (it->second.wake) it->second.wake();
}

// What the dialler has on its way is lost; that it is broken it learns a trip later.
void sim_network::break_flow(flow_id id, flow& f, broken news) {
  if (std::exchange(f.lost, true)) return;
  f.held_up = {};
  schedule(id, way::to_dialler, std::move(news), 0);
}

void sim_network::break_between(rank a, rank b, const std::string& why) {
  for (auto& [id, f] : flows_) {
    const auto listener = rank_of_listener(f);
    if ((f.dialler_rank == a && listener == b) || (f.dialler_rank == b && listener == a))
      break_flow(id, f, {why, true});
  }
}

sim_network::host_id sim_network::listener_at(const std::string& endpoint) const {
  const auto it = listeners_.find(endpoint);
  return it == listeners_.end() ? 0 : it->second;
}

std::optional<rank> sim_network::rank_of_listener(const flow& f) const {
  if (f.listener_rank) return f.listener_rank;
  const auto it = hosts_.find(listener_at(f.endpoint));
  if (it == hosts_.end()) return std::nullopt;
  return it->second.rank;
}

bool sim_network::dropped(const flow& f, way towards) const {
  const auto listener = rank_of_listener(f);
  return listener &&
         dropped_.contains(towards == way::to_listener ? std::pair{f.dialler_rank, *listener}
                                                       : std::pair{*listener, f.dialler_rank});
}

}  // namespace muster
