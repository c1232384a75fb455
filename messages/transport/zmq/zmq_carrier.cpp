#include <muster/messages/transport/zmq/zmq_carrier.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <sys/epoll.h>

#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

constexpr int life_events = ZMQ_EVENT_CLOSED | ZMQ_EVENT_DISCONNECTED |
                            ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                            ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
// Per lane the DEALER and both ends of its monitor; twice that while libzmq still holds closed
// ones.
constexpr int sockets_per_link = 12;
// Two ROUTERs with their monitors, and some to spare.
constexpr int sockets_of_ours = 64;
// Messages taken before epoll is asked again: a busy socket must not hide the others.
constexpr std::uint32_t takes_per_look = 64;

int milliseconds(duration d) {
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(d).count());
}

// An IPv6 address stands in brackets; with the option always on, IPv4 addresses would be written as
// IPv6.
bool is_ipv6(const std::string& endpoint) { return endpoint.find('[') != std::string::npos; }

// What libzmq offers beyond these either reaches no other host or has no connections.
status check_scheme(const std::string& endpoint) {
  if (endpoint.starts_with("tcp://") || endpoint.starts_with("ipc://")) return {};
  return error(status_code::invalid_argument,
               "'" + endpoint + "' begins with neither tcp:// nor ipc://");
}

void set_common(zmq_socket& socket, const zmq_options& options, const std::string& endpoint) {
  socket.set(ZMQ_LINGER, 0);
  socket.set(ZMQ_SNDHWM, options.lane_queue_max);
  socket.set(ZMQ_RCVHWM, options.lane_queue_max);
  socket.set(ZMQ_MAXMSGSIZE, static_cast<std::int64_t>(limits::envelope_bytes_max));
  socket.set(ZMQ_HANDSHAKE_IVL, milliseconds(limits::hello_timeout));
  socket.set(ZMQ_IPV6, is_ipv6(endpoint) ? 1 : 0);
}

std::string why_lost(std::uint16_t event, const std::string& endpoint) {
  switch (event) {
    case ZMQ_EVENT_CLOSED: return "nobody answers at " + endpoint;
    case ZMQ_EVENT_DISCONNECTED: return "the connection to " + endpoint + " was closed";
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: return "not authenticated by " + endpoint;
    default: return "what answers at " + endpoint + " does not speak ZeroMQ";
  }
}

}  // namespace

zmq_carrier::zmq_carrier(zmq_options options, std::uint32_t links_max)
    : options_(std::move(options)),
      links_max_(links_max),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      context_(zmq_ctx_new()) {
  if (!context_) return;
  zmq_ctx_set(context_.get(), ZMQ_IO_THREADS, options_.io_threads);
  const auto sockets = std::min<std::uint64_t>(
      std::uint64_t{links_max_} * sockets_per_link + sockets_of_ours,
      static_cast<std::uint64_t>(zmq_ctx_get(context_.get(), ZMQ_SOCKET_LIMIT)));
  zmq_ctx_set(context_.get(), ZMQ_MAX_SOCKETS, static_cast<int>(sockets));
}

zmq_carrier::~zmq_carrier() { close({}); }

// ---- listening

status zmq_carrier::listen() {
  if (!context_ || epoll_.get() == -1) return out_of_resources("a ZeroMQ context");
  auto s =
      listen_on(lane::control, options_.bind_control, options_.advertise_control, local_.control);
  return s.ok() ? listen_on(lane::bulk, options_.bind_bulk, options_.advertise_bulk, local_.bulk)
                : s;
}

status zmq_carrier::listen_on(lane on, const std::string& bind, const std::string& advertise,
                              std::string& local) {
  if (auto s = check_scheme(bind); !s.ok()) return s;
  auto& [router, keeper] = door_of(on);
  router = {context_, ZMQ_ROUTER};
  if (!router) return out_of_resources("a socket");
  set_common(router, options_, bind);
  router.set(ZMQ_ROUTER_MANDATORY, 1);
  if (!keeper.watch(context_, router, "door-" + std::to_string(static_cast<int>(on))))
    return out_of_resources("a monitor");
  if (zmq_bind(router.get(), bind.c_str()) != 0)
    return error(status_code::invalid_argument,
                 "can't listen at '" + bind + "': " + zmq_strerror(errno));
  const std::string bound = router.last_endpoint();
  keeper.bound_to(bound);
  local = advertise.empty() ? bound : advertise;
  if (local.ends_with(":*")) local.replace(local.size() - 1, 1, bound.substr(bound.rfind(':') + 1));
  if (local.starts_with("tcp://0.0.0.0:") || local.starts_with("tcp://[::]:"))
    return error(
        status_code::invalid_argument,
        "nobody can dial '" + local + "': bind to an address of this host, or advertise one");
  if (local.size() > limits::endpoint_bytes_max)
    return error(status_code::invalid_argument, "the address '" + local + "' is longer than " +
                                                    std::to_string(limits::endpoint_bytes_max) +
                                                    " bytes");
  const auto n = static_cast<std::uint64_t>(on);
  if (!watch(router.fd(), {router_role(on), n}) || !watch(keeper.fd(), {role::door_monitor, n}))
    return out_of_resources("a watch");
  return {};
}

status zmq_carrier::out_of_resources(const std::string& what) const {
  return error(status_code::resource_exhausted,
               "can't make " + what + " of ZeroMQ: " + zmq_strerror(errno));
}

// Every source that is watched is also ready: something may have come before epoll looked.
bool zmq_carrier::watch(int fd, source s) {
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.u64 = static_cast<std::uint64_t>(s.role) << 56 | s.number;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &e) != 0) return false;
  ready_.insert(s);
  return true;
}

void zmq_carrier::unwatch(int fd) { epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

// ---- pipes

status zmq_carrier::open(time_point, pipe_id id, lane, const std::string& endpoint) {
  if (pipes_.size() >= std::size_t{links_max_} * 2)
    return error(status_code::resource_exhausted,
                 "more than " + std::to_string(links_max_) +
                     " links, which is what the limit on descriptors allows");
  if (auto s = check_scheme(endpoint); !s.ok()) return s;
  pipe p;
  p.endpoint = endpoint;
  p.dealer = {context_, ZMQ_DEALER};
  p.monitor = {context_, ZMQ_PAIR};
  if (!p.dealer || !p.monitor) return out_of_resources("a socket");
  set_common(p.dealer, options_, endpoint);
  p.dealer.set(ZMQ_RECONNECT_IVL, -1);  // a link has one life
  p.dealer.set(ZMQ_HEARTBEAT_IVL, milliseconds(limits::ping_interval));
  p.dealer.set(ZMQ_HEARTBEAT_TIMEOUT, milliseconds(limits::silence_max));
  p.dealer.set(ZMQ_HEARTBEAT_TTL, milliseconds(limits::silence_max));
  p.monitor.set(ZMQ_RCVHWM, 0);  // with a bound, libzmq's thread would wait for us
  const std::string monitor = "inproc://pipe-" + std::to_string(id.value);
  if (zmq_socket_monitor(p.dealer.get(), monitor.c_str(), life_events) != 0 ||
      zmq_connect(p.monitor.get(), monitor.c_str()) != 0)
    return out_of_resources("a monitor");
  if (zmq_connect(p.dealer.get(), endpoint.c_str()) != 0)
    return error(status_code::invalid_argument,
                 "can't dial '" + endpoint + "': " + zmq_strerror(errno));
  auto& opened = pipes_.emplace(id, std::move(p)).first->second;
  if (watch(opened.dealer.fd(), {role::pipe, id.value}) &&
      watch(opened.monitor.fd(), {role::pipe_monitor, id.value}))
    return {};
  auto s = out_of_resources("a watch");
  shut(id);
  return s;
}

bool zmq_carrier::put(pipe_id id, const payload& header, std::span<const payload> frames) {
  auto& p = pipes_.at(id);
  ready_.insert({role::pipe, id.value});
  switch (p.dealer.put(std::nullopt, header, frames)) {
    case put_result::queued: return true;
    case put_result::full: p.full = true; return false;
    case put_result::broken: return true;  // lost with its life, whose end the monitor tells
  }
  return true;
}

void zmq_carrier::shut(pipe_id id) {
  const auto it = pipes_.find(id);
  if (it == pipes_.end()) return;
  close_pipe(it->second, 0);
  pipes_.erase(it);
  ready_.erase({role::pipe, id.value});
  ready_.erase({role::pipe_monitor, id.value});
}

void zmq_carrier::close_pipe(pipe& p, int linger_ms) {
  unwatch(p.dealer.fd());
  unwatch(p.monitor.fd());
  zmq_socket_monitor(p.dealer.get(), nullptr, 0);
  p.monitor.close();
  p.dealer.set(ZMQ_LINGER, linger_ms);
  p.dealer.close();
}

// ---- callers

int zmq_carrier::connection_of(const caller_id& who) const {
  return speaker_ && speaker_->first == who ? speaker_->second : -1;
}

// A caller that can't be told is gone; it will dial again.
void zmq_carrier::welcome(const caller_id& who, payload answer) {
  door_of(who.lane).keeper.welcome(connection_of(who));
  door_of(who.lane).router.put(who.key, answer, {});
  ready_.insert({router_role(who.lane), static_cast<std::uint64_t>(who.lane)});
}

// With an answer it is the caller who hangs up; one that doesn't is turned out when its time is
// over.
void zmq_carrier::turn_away(const caller_id& who, std::optional<payload> answer) {
  if (!answer) return door_of(who.lane).keeper.turn_out(connection_of(who));
  door_of(who.lane).router.put(who.key, *answer, {});
  ready_.insert({router_role(who.lane), static_cast<std::uint64_t>(who.lane)});
}

// ---- events

std::optional<carrier_event> zmq_carrier::take(time_point now) {
  if (ready_.empty() || takes_++ % takes_per_look == 0) collect();
  while (events_.empty() && !ready_.empty()) {
    const source first = *ready_.begin();
    auto event = look_at(now, first);
    if (event) return event;
    if (events_.empty()) ready_.erase(first);
  }
  if (events_.empty())
    for (auto& [router, keeper] : doors_)
      for (auto n = keeper.expire(now); n != 0; --n) events_.emplace_back(nonsense{});
  if (events_.empty()) return std::nullopt;
  auto event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void zmq_carrier::collect() {
  std::array<epoll_event, 64> found;
  const int n = epoll_wait(epoll_.get(), found.data(), static_cast<int>(found.size()), 0);
  for (int i = 0; i < n; ++i) {
    const std::uint64_t tag = found[static_cast<std::size_t>(i)].data.u64;
    ready_.insert({static_cast<role>(tag >> 56), tag & ((std::uint64_t{1} << 56) - 1)});
  }
}

std::optional<carrier_event> zmq_carrier::look_at(time_point now, source s) {
  switch (s.role) {
    case role::pipe: return look_at_pipe({s.number});
    case role::pipe_monitor: return look_at_pipe_monitor({s.number});
    case role::door_monitor: return look_at_door_monitor(now, static_cast<lane>(s.number));
    case role::control_router:
    case role::bulk_router: return look_at_router(static_cast<lane>(s.number));
  }
  return std::nullopt;
}

std::optional<carrier_event> zmq_carrier::look_at_pipe(pipe_id id) {
  auto& p = pipes_.at(id);
  if (auto answer = p.dealer.receive()) {
    if (answer->parts.size() != 1) return nonsense{};
    return pipe_answered{id, std::move(answer->parts.front())};
  }
  if (!p.full || (p.dealer.events() & ZMQ_POLLOUT) == 0) return std::nullopt;
  p.full = false;
  return pipe_room{id};
}

std::optional<carrier_event> zmq_carrier::look_at_pipe_monitor(pipe_id id) {
  auto& p = pipes_.at(id);
  const auto heard = p.monitor.receive();
  if (!heard) return std::nullopt;
  std::uint16_t what = 0;
  if (heard->parts.front().size() >= sizeof what)
    std::memcpy(&what, heard->parts.front().data(), sizeof what);
  // An answer may have come just before the end: a refusal explains more than a reset.
  if (auto answer = p.dealer.receive(); answer && answer->parts.size() == 1)
    events_.emplace_back(pipe_answered{id, std::move(answer->parts.front())});
  events_.emplace_back(pipe_lost{id, why_lost(what, p.endpoint)});
  return std::nullopt;
}

std::optional<carrier_event> zmq_carrier::look_at_door_monitor(time_point now, lane on) {
  for (bool failed = false; door_of(on).keeper.hear(now, failed);)
    if (failed) return nonsense{};
  return std::nullopt;
}

std::optional<carrier_event> zmq_carrier::look_at_router(lane on) {
  auto message = door_of(on).router.receive();
  if (!message) return std::nullopt;
  auto& parts = message->parts;
  if (parts.size() < 2 || message->too_many) return nonsense{};
  caller_spoke event{{on, std::string(parts[0].text())}, std::move(parts[1]), {}};
  speaker_.emplace(event.caller, message->source_fd);
  event.frames.assign(std::make_move_iterator(parts.begin() + 2),
                      std::make_move_iterator(parts.end()));
  return event;
}

std::optional<time_point> zmq_carrier::deadline() const {
  const auto a = doors_[0].keeper.deadline(), b = doors_[1].keeper.deadline();
  return a && b ? std::min(*a, *b) : a ? a : b;
}

// ---- the end

void zmq_carrier::close(std::span<const pipe_id> lingering) {
  if (std::exchange(closed_, true)) return;
  const int linger_ms = milliseconds(limits::linger_max);
  for (auto& [id, p] : pipes_)
    close_pipe(p, std::ranges::find(lingering, id) != lingering.end() ? linger_ms : 0);
  pipes_.clear();
  for (auto& [router, keeper] : doors_) {
    if (!router) continue;
    zmq_socket_monitor(router.get(), nullptr, 0);
    keeper.close();
    router.set(ZMQ_LINGER, linger_ms);  // a refusal may be on its way
    router.close();
  }
  ready_.clear();
  events_.clear();
  context_.reset();
}

}  // namespace muster
