// Private to the box: a carrier over ZeroMQ. A pipe is a DEALER with its monitor; callers come in
// by the ROUTER of their lane. One thread.
//
// libzmq tells of news by an edge: a socket's descriptor becomes readable once, and the socket must
// then be asked until it has nothing. `ready_` holds the sockets that may have something still:
// those that epoll reported, and those that we touched ourselves, since any call may swallow the
// edge.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <muster/messages/transport/carrier.hpp>
#include <muster/messages/transport/zmq/doorkeeper.hpp>
#include <muster/messages/transport/zmq/zmq_handles.hpp>
#include <muster/messages/transport/zmq/zmq_transport.hpp>

namespace muster {

class zmq_carrier final : public carrier {
 public:
  /// Does nothing yet: listen() binds.
  zmq_carrier(zmq_options, std::uint32_t links_max);
  ~zmq_carrier() override;
  /// Binds both lanes.
  status listen();

  [[nodiscard]] endpoints local() const override { return local_; }
  status open(time_point now, pipe_id, lane, const std::string& endpoint) override;
  bool put(pipe_id, const payload& header, std::span<const payload> frames) override;
  void shut(pipe_id) override;
  void welcome(const caller_id&, payload answer) override;
  void turn_away(const caller_id&, std::optional<payload> answer) override;
  std::optional<carrier_event> take(time_point now) override;
  [[nodiscard]] bool ready() const override { return !ready_.empty() || !events_.empty(); }
  [[nodiscard]] std::optional<time_point> deadline() const override;
  [[nodiscard]] int descriptor() const override { return epoll_.get(); }
  void close(std::span<const pipe_id> lingering) override;

 private:
  // In the order in which they are looked at: what is rare first, control before bulk.
  enum class role : std::uint8_t { pipe, pipe_monitor, door_monitor, control_router, bulk_router };
  struct source {
    zmq_carrier::role role{};
    std::uint64_t number = 0;  // a pipe's id, or a lane
    friend auto operator<=>(const source&, const source&) = default;
  };
  static role router_role(lane on) {
    return on == lane::control ? role::control_router : role::bulk_router;
  }
  struct pipe {
    zmq_socket dealer;
    zmq_socket monitor;
    std::string endpoint;
    bool full = false;
  };
  struct door {
    zmq_socket router;
    doorkeeper keeper;
  };

  status listen_on(lane, const std::string& bind, const std::string& advertise, std::string& local);
  [[nodiscard]] status out_of_resources(const std::string& what) const;
  bool watch(int fd, source);
  void unwatch(int fd);
  void close_pipe(pipe&, int linger_ms);
  void collect();
  std::optional<carrier_event> look_at(time_point now, source);
  std::optional<carrier_event> look_at_pipe(pipe_id);
  std::optional<carrier_event> look_at_pipe_monitor(pipe_id);
  std::optional<carrier_event> look_at_door_monitor(time_point now, lane);
  std::optional<carrier_event> look_at_router(lane);
  [[nodiscard]] int connection_of(const caller_id&) const;
  door& door_of(lane on) { return doors_[static_cast<std::size_t>(on)]; }

  zmq_options options_;
  std::uint32_t links_max_;
  owned_fd epoll_;
  zmq_context context_;  // before all sockets, hence destroyed after them
  std::array<door, 2> doors_;
  std::map<pipe_id, pipe> pipes_;
  std::set<source> ready_;
  std::deque<carrier_event> events_;
  std::optional<std::pair<caller_id, int>>
      speaker_;  // whose message was taken last, and its connection
  endpoints local_;
  std::uint32_t takes_ = 0;
  bool closed_ = false;
};

}  // namespace muster
