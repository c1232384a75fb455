#include <muster/messages/transport/zmq/doorkeeper.hpp>

#include <algorithm>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

constexpr int heard_events = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED |
                             ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                             ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

// Whether a descriptor is a connection that was accepted at a tcp or ipc endpoint.
bool is_call_to(int fd, std::string_view endpoint) {
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
    sockaddr_un local;
  } name{};
  socklen_t size = sizeof name;
  if (getsockname(fd, &name.any, &size) != 0) return false;
  const auto port = [&](in_port_t p) { return endpoint.ends_with(":" + std::to_string(ntohs(p))); };
  switch (name.any.sa_family) {
    case AF_INET: return port(name.v4.sin_port);
    case AF_INET6: return port(name.v6.sin6_port);
    case AF_UNIX: return endpoint.ends_with(name.local.sun_path) && name.local.sun_path[0] != 0;
    default: return false;
  }
}

}  // namespace

owned_fd::~owned_fd() {
  if (fd_ != -1) ::close(fd_);
}

bool doorkeeper::watch(zmq_context& context, zmq_socket& router, const std::string& monitor_name) {
  const std::string address = "inproc://" + monitor_name;
  if (zmq_socket_monitor(router.get(), address.c_str(), heard_events) != 0) return false;
  monitor_ = {context, ZMQ_PAIR};
  if (!monitor_) return false;
  monitor_.set(ZMQ_RCVHWM, 0);  // with a bound, libzmq's thread would wait for us
  return zmq_connect(monitor_.get(), address.c_str()) == 0;
}

bool doorkeeper::hear(time_point now, bool& failed) {
  const auto heard = monitor_.receive();
  if (!heard) return false;
  const auto& event = heard->parts.front();
  std::uint16_t what = 0;
  std::uint32_t value = 0;
  if (event.size() != sizeof what + sizeof value) return true;
  std::memcpy(&what, event.data(), sizeof what);
  std::memcpy(&value, event.data() + sizeof what, sizeof value);
  const int connection = static_cast<int>(value);
  if (what == ZMQ_EVENT_ACCEPTED)
    on_accepted(now, connection);
  else if (what == ZMQ_EVENT_DISCONNECTED)
    failed = on_disconnected(connection);
  else
    handshake_failed_ = true;
  return true;
}

// A connection that we shut ourselves fails its handshake too, and was counted when we did.
bool doorkeeper::on_disconnected(int connection) {
  const auto it = silent_.find(connection);
  const bool told_to_leave = it != silent_.end() && it->second.leaves == never;
  if (it != silent_.end()) silent_.erase(it);
  return std::exchange(handshake_failed_, false) && !told_to_leave;
}

// libzmq may have closed the connection by now and the system have given its number away. What we
// shut is a call to us in any case; at worst another one, which then dials again.
void doorkeeper::on_accepted(time_point now, int connection) {
  if (const auto early = welcome_early_.find(connection); early != welcome_early_.end()) {
    if (--early->second == 0) welcome_early_.erase(early);
    return;
  }
  owned_fd ours{fcntl(connection, F_DUPFD_CLOEXEC, 0)};
  if (!is_call_to(ours.get(), endpoint_)) ours = owned_fd{};
  silent_.insert_or_assign(connection, guest{std::move(ours), after(now, limits::hello_timeout)});
}

void doorkeeper::welcome(int connection) {
  if (connection == -1) return;
  if (silent_.erase(connection) == 0 && welcome_early_.size() < limits::replaced_callers_max)
    ++welcome_early_[connection];
}

void doorkeeper::turn_out(int connection) {
  if (const auto it = silent_.find(connection); it != silent_.end()) shut(it->second);
}

void doorkeeper::shut(guest& g) {
  g.leaves = never;
  if (g.connection.get() != -1) ::shutdown(g.connection.get(), SHUT_RDWR);
}

std::uint64_t doorkeeper::expire(time_point now) {
  std::uint64_t late = 0;
  for (auto& [connection, g] : silent_) {
    if (g.leaves > now) continue;
    shut(g);
    ++late;
  }
  return late;
}

std::optional<time_point> doorkeeper::deadline() const {
  time_point first = never;
  for (const auto& [connection, g] : silent_) first = std::min(first, g.leaves);
  return first == never ? std::nullopt : std::optional(first);
}

}  // namespace muster
