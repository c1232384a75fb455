// A port on loopback that forwards connections to another one, so that a test can cut or hold what
// real sockets carry. Until it has a target nobody listens at its port.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include <poll.h>

#include <muster/messages/transport/zmq/doorkeeper.hpp>

namespace muster {

/// A connected, non-blocking socket to an address like "tcp://127.0.0.1:4000".
owned_fd connect_to(const std::string& endpoint);

class relay {
 public:
  relay();
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
  void forward_to(std::string target);
  /// Resets every connection.
  void cut() { calls_.clear(); }
  /// Forwards nothing while it is told to hold.
  void hold(bool yes) { held_ = yes; }

  /// Moves what can be moved now; whether anything moved.
  bool pump();
  void watch(std::vector<pollfd>&) const;

 private:
  struct way {
    std::vector<char> bytes;  // read and not yet written
    std::size_t written = 0;
    bool ended = false;
  };
  struct call {
    std::array<owned_fd, 2> ends;  // the caller, the target
    std::array<way, 2> ways;       // from the caller, from the target
  };
  bool accept_all();
  static bool move(call&, std::size_t from);

  owned_fd port_;
  std::string endpoint_;
  std::string target_;
  bool listening_ = false;
  bool held_ = false;
  std::list<call> calls_;
};

}  // namespace muster
