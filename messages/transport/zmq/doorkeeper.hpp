// Private to the box: turns silent connections out. A ROUTER neither names nor closes a connection
// that never spoke, so the doorkeeper listens to the ROUTER's monitor and shuts such connections
// itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include <muster/messages/transport/zmq/zmq_handles.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

/// A descriptor of ours that libzmq's thread can't close under us.
class owned_fd {
 public:
  owned_fd() = default;
  explicit owned_fd(int fd) : fd_(fd) {}
  owned_fd(owned_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  owned_fd& operator=(owned_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~owned_fd();
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_ = -1;
};

class doorkeeper {
 public:
  /// Watches a ROUTER that is not bound yet. False when descriptors or sockets have run out.
  bool watch(zmq_context&, zmq_socket& router, const std::string& monitor_name);

  /// Where the ROUTER was bound to; before hear().
  void bound_to(std::string endpoint) { endpoint_ = std::move(endpoint); }

  /// What the monitor says next; false when it says nothing more for now. `failed` is set when a
  /// connection ended that did not get through ZeroMQ's own handshake.
  bool hear(time_point now, bool& failed);
  [[nodiscard]] int fd() const { return monitor_.fd(); }

  /// The connection has said a valid hello: it may stay.
  void welcome(int connection);
  /// Closes a connection that has not been welcomed.
  void turn_out(int connection);
  /// Closes those that have been silent for too long; how many.
  std::uint64_t expire(time_point now);
  [[nodiscard]] std::optional<time_point> deadline() const;

  void close() { monitor_.close(); }

 private:
  struct guest {
    owned_fd connection;
    time_point leaves{};  // `never` once it was told to
  };
  void on_accepted(time_point now, int connection);
  bool on_disconnected(int connection);
  static void shut(guest&);

  zmq_socket monitor_;
  std::string endpoint_;
  bool handshake_failed_ = false;  // of the connection whose end the monitor tells next
  std::map<int, guest> silent_;    // accepted and not welcomed, by libzmq's descriptor
  std::map<int, int>
      welcome_early_;  // hellos that we read before the monitor told of their connection
};

}  // namespace muster
