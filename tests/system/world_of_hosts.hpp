// Real hosts in one process: one runtime, real sockets on loopback, one handle per rank. The port of the
// root is found free by binding it; a join that loses the race for it is tried again.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <muster/runtime/runtime.hpp>

namespace muster::testing {

/// A port that was free a moment ago, and so was the next one.
inline std::uint16_t free_port_pair() {
  auto bound = [](std::uint16_t port, int& fd) {
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(port);
    socklen_t length = sizeof at;
    if (bind(fd, reinterpret_cast<sockaddr*>(&at), length) != 0) return std::uint16_t{0};
    getsockname(fd, reinterpret_cast<sockaddr*>(&at), &length);
    return ntohs(at.sin_port);
  };
  for (int tries = 0; tries < 100; ++tries) {
    int first = -1, second = -1;
    const auto port = bound(0, first);
    const bool both =
        port != 0 && port != 65'535 && bound(static_cast<std::uint16_t>(port + 1), second) != 0;
    close(first);
    if (second >= 0) close(second);
    if (both) return port;
  }
  ADD_FAILURE() << "no two free ports in a row";
  return 0;
}

class world_of_hosts {
 public:
  /// Joins `world_size` hosts with `devices` devices each; the ranks in `absent` don't come.
  explicit world_of_hosts(std::uint32_t world_size, std::uint32_t devices = 1,
                          std::uint32_t fan_out = 16)
      : rt(runtime_options{[this](const report& r) { keep(r); }}) {
    for (int tries = 0; tries < 5 && hosts.empty(); ++tries) try_join(world_size, devices, fan_out);
    EXPECT_EQ(hosts.size(), world_size);
  }

  static host_options options(std::uint32_t r, std::uint32_t world_size, std::uint16_t port) {
    host_options out;
    out.job = "first-light";
    out.rank = rank{r};
    out.world_size = world_size;
    if (world_size > 1) out.root = {address{"127.0.0.1", port}};
    out.join_timeout = std::chrono::seconds(20);
    return out;
  }

  /// Calls `f(host)` for every host, in rank order, then waits for all.
  template <class F>
  auto everywhere(F f) {
    using value = typename decltype(f(hosts.front()))::value_type;
    std::vector<op<value>> ops;
    for (auto& h : hosts) ops.push_back(f(h));
    std::vector<result<value>> out;
    for (auto& o : ops) out.push_back(o.wait());
    return out;
  }

  std::vector<report> said() {
    std::lock_guard lock(mutex_);
    return reports_;
  }

 private:
  void try_join(std::uint32_t world_size, std::uint32_t devices, std::uint32_t fan_out) {
    const auto port = world_size > 1 ? free_port_pair() : std::uint16_t{0};
    std::vector<op<host>> joining;
    for (std::uint32_t r = 0; r < world_size; ++r) {
      auto o = options(r, world_size, port);
      o.devices.count = devices;
      o.fan_out = fan_out;
      joining.push_back(rt.join_async(o));
    }
    for (auto& j : joining)
      if (auto h = j.wait())
        hosts.push_back(std::move(*h));
      else
        return hosts.clear();
  }
  void keep(const report& r) {
    std::lock_guard lock(mutex_);
    reports_.push_back(r);
  }

  std::mutex mutex_;
  std::vector<report> reports_;

 public:
  runtime rt;
  std::vector<host> hosts;
};

}  // namespace muster::testing
