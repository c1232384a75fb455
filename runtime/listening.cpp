#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <muster/runtime/host_options.hpp>

namespace muster {
namespace {

bool is_every_interface(const std::string& host) {
  return host == "*" || host == "0.0.0.0" || host == "::";
}

/// The address of the interface that a packet to `to` would leave by. Sends nothing: connecting a
/// datagram socket only looks up the route.
result<std::string> address_facing(const address& to) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (int code = getaddrinfo(to.host.c_str(), std::to_string(to.port).c_str(), &hints, &found);
      code != 0)
    return error(status_code::unavailable,
                 "the root's host '" + to.host + "' is not known here: " + gai_strerror(code));
  std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, freeaddrinfo);
  std::string why = "no address";
  for (addrinfo* at = found; at != nullptr; at = at->ai_next) {
    int socket_fd = socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_fd < 0) continue;
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    char text[INET6_ADDRSTRLEN + 32] = {};
    bool ok = connect(socket_fd, at->ai_addr, at->ai_addrlen) == 0 &&
              getsockname(socket_fd, reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
              getnameinfo(reinterpret_cast<sockaddr*>(&own), length, text, sizeof text, nullptr, 0,
                          NI_NUMERICHOST) == 0;
    if (!ok) why = std::strerror(errno);
    close(socket_fd);
    if (ok) return std::string(text);
  }
  return error(status_code::unavailable, "no way to the root's host '" + to.host + "': " + why);
}

const address* own_entry(const host_options& options) {
  return options.rank.value < options.hosts.size() ? &options.hosts[options.rank.value] : nullptr;
}

address default_bind(const host_options& options) {
  auto& known = options.hosts.empty() ? options.root : options.hosts;
  bool local = options.launcher || known.empty() ||
               std::all_of(known.begin(), known.end(), [](auto& a) { return is_loopback(a.host); });
  if (!local) return {"*", 0};
  // Of the machine's own addresses the one that is listed: two hosts may have the same port then.
  if (auto* own = own_entry(options); own != nullptr && own->host != "localhost")
    return {own->host, 0};
  bool ipv6 = !options.root.empty() && options.root.front().host == "::1";
  return {ipv6 ? "::1" : "127.0.0.1", 0};
}

}  // namespace

result<listening> listening_of(const host_options& options) {
  listening out;
  out.bind = options.bind.value_or(default_bind(options));
  const address* own = own_entry(options);
  if (own == nullptr && options.rank == rank{0} && !options.root.empty())
    own = &options.root.front();
  if (own != nullptr && out.bind.port == 0) out.bind.port = own->port;
  if (options.advertise) {
    out.advertise = *options.advertise;
  } else if (own != nullptr) {
    out.advertise = *own;
  } else if (!is_every_interface(out.bind.host)) {
    out.advertise = {out.bind.host, 0};
  } else {
    auto facing =
        address_facing(options.launcher ? options.launcher->control : options.root.front());
    if (!facing) return facing.why();
    out.advertise = {*facing, 0};
  }
  return out;
}

}  // namespace muster
