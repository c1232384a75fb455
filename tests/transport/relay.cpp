#include <muster/tests/transport/relay.hpp>

#include <cerrno>
#include <stdexcept>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace muster {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  a.sin_port = htons(port);
  return a;
}

owned_fd tcp_socket() { return owned_fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}; }

// Closing then sends a reset instead of a polite end, and drops what the system still holds.
void make_abrupt(int fd, bool yes) {
  const linger at_once{yes ? 1 : 0, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

void make_ready(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  make_abrupt(fd, true);
}

void require(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(what);
}

}  // namespace

owned_fd connect_to(const std::string& endpoint) {
  auto fd = tcp_socket();
  const auto port = static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1)));
  const auto a = loopback(port);
  require(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&a), sizeof a) == 0,
          "can't connect on loopback");
  make_ready(fd.get());
  return fd;
}

relay::relay() : port_(tcp_socket()) {
  auto a = loopback(0);
  socklen_t size = sizeof a;
  require(::bind(port_.get(), reinterpret_cast<const sockaddr*>(&a), size) == 0,
          "can't bind on loopback");
  require(::getsockname(port_.get(), reinterpret_cast<sockaddr*>(&a), &size) == 0,
          "can't learn the port");
  endpoint_ = "tcp://127.0.0.1:" + std::to_string(ntohs(a.sin_port));
}

void relay::forward_to(std::string target) {
  target_ = std::move(target);
  if (listening_) return;
  require(::listen(port_.get(), 64) == 0, "can't listen on loopback");
  fcntl(port_.get(), F_SETFL, O_NONBLOCK);
  listening_ = true;
}

bool relay::accept_all() {
  bool any = false;
  while (listening_) {
    owned_fd caller{::accept4(port_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (caller.get() == -1) break;
    make_ready(caller.get());
    any = true;
    auto& c = calls_.emplace_back();
    c.ends[0] = std::move(caller);
    try {
      c.ends[1] = connect_to(target_);
    } catch (const std::runtime_error&) {
      calls_.pop_back();  // the target is gone: the caller's connection is reset
    }
  }
  return any;
}

// One read or write of one way. Ends are passed on only when all before them was written.
bool relay::move(call& c, std::size_t from) {
  auto& w = c.ways[from];
  const int in = c.ends[from].get(), out = c.ends[1 - from].get();
  if (w.written < w.bytes.size()) {
    const auto n =
        ::send(out, w.bytes.data() + w.written, w.bytes.size() - w.written, MSG_NOSIGNAL);
    if (n < 0) return errno != EAGAIN && (w.ended = true, w.bytes.clear(), w.written = 0, false);
    w.written += static_cast<std::size_t>(n);
    return true;
  }
  if (w.ended) return false;
  w.bytes.resize(256 * 1024);
  w.written = 0;
  const auto n = ::recv(in, w.bytes.data(), w.bytes.size(), 0);
  w.bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  if (n == 0 || (n < 0 && errno != EAGAIN)) w.ended = true;
  return n >= 0;
}

bool relay::pump() {
  if (held_) return false;
  bool any = accept_all();
  for (auto it = calls_.begin(); it != calls_.end();) {
    for (std::size_t from : {0u, 1u})
      while (move(*it, from)) any = true;
    const auto over = [](const way& w) { return w.ended && w.written == w.bytes.size(); };
    if (!over(it->ways[0]) && !over(it->ways[1])) {
      ++it;
      continue;
    }
    for (auto& end : it->ends) make_abrupt(end.get(), false);  // what was written still arrives
    it = calls_.erase(it);
  }
  return any;
}

void relay::watch(std::vector<pollfd>& out) const {
  if (held_) return;
  if (listening_) out.push_back({port_.get(), POLLIN, 0});
  for (const auto& c : calls_)
    for (std::size_t from : {0u, 1u}) {
      const bool pending = c.ways[from].written < c.ways[from].bytes.size();
      out.push_back({c.ends[pending ? 1 - from : from].get(),
                     static_cast<short>(pending ? POLLOUT : POLLIN), 0});
    }
}

}  // namespace muster
