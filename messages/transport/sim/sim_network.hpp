// A network in virtual time that carries encoded frames between transports of one process. Used by
// one thread, the driver's: it delivers what is due, one at a time, and everything that a transport
// does meanwhile only adds to the queue. The same seed and the same calls give the same deliveries.
//
// A connection behaves as TCP does: frames arrive whole and in order or the connection breaks, and
// a lost packet is a late one. So a fault is either a break or a delay, never a hole in the stream.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <muster/messages/transport/carrier.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/random.hpp>

namespace muster {

struct sim_network_options {
  std::uint64_t seed = 1;
  duration latency_min = std::chrono::microseconds{50};
  duration latency_max = std::chrono::microseconds{500};
  std::uint64_t bytes_per_second = 1'250'000'000;  // 10 Gbit/s, out of each host
  double loss = 0;                                 // of a message; each costs one `retransmission`
  duration retransmission = std::chrono::milliseconds{200};
};
std::string to_string(const sim_network_options&);  // one line, to be printed with every figure

class sim_network {
 public:
  explicit sim_network(sim_network_options options = {});
  sim_network(const sim_network&) = delete;
  sim_network& operator=(const sim_network&) = delete;

  /// When the next delivery is due.
  [[nodiscard]] std::optional<time_point> next_due() const;
  /// Makes the earliest delivery, if it is due by now; whether there was one. Wakes the transport
  /// it is for.
  bool deliver_one(time_point now);
  /// Says that time has passed, for what is sent from now on. deliver_one and a transport's poll
  /// say it too.
  void advance(time_point now);

  // ---- faults

  /// Breaks all connections between two ranks. They can connect again at once.
  void cut_link(rank, rank);
  /// Nothing arrives that way any more; after limits::silence_max connections that need the way
  /// break.
  void drop_link(rank from, rank to);
  /// Ends drop_link: what was held up arrives, in order.
  void heal_link(rank from, rank to);
  /// The process ends: peers see their connections break. Its transport does nothing any more.
  void exit(rank);

  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }
  [[nodiscard]] const sim_network_options& options() const { return options_; }

 private:
  friend class sim_carrier;
  using host_id = std::uint64_t;
  using flow_id = std::uint64_t;
  enum class way : std::uint8_t { to_listener, to_dialler };

  struct event_in {
    carrier_event event;
    flow_id flow = 0;  // of a caller's message, which makes room when it is taken
  };
  struct host {
    muster::rank rank{};
    muster::endpoints local;
    std::function<void()> wake;
    std::size_t lane_queue_max = 0;
    std::deque<event_in> inbox;
    time_point egress_free{};
    std::map<pipe_id, flow_id> pipes;
  };
  // What is on its way.
  struct call {};
  struct spoken {
    payload header;
    std::vector<payload> frames;
  };
  struct finish {};
  struct answered {
    payload answer;
  };
  struct room {};
  struct broken {
    std::string why;
    bool by_dialler = false;  // it found out itself, so that no dropped link keeps it from knowing
  };
  using cargo = std::variant<call, spoken, finish, answered, room, broken>;
  // A connection, from the dialler's pipe to the listener's caller.
  struct flow {
    host_id dialler = 0;
    muster::rank dialler_rank{};
    pipe_id pipe;
    muster::lane lane{};
    std::string endpoint;
    host_id listener = 0;  // 0 until the call arrives
    std::optional<rank> listener_rank{};
    bool lost = false;                           // broken, and the dialler will know in a moment
    std::size_t queued = 0;                      // messages put and not yet taken by the listener
    bool full = false;                           // the dialler waits for room
    std::array<time_point, 2> last_arrival{};    // by way
    std::array<std::deque<cargo>, 2> held_up{};  // by way, while the link is dropped
  };
  struct delivery {
    flow_id flow = 0;
    way towards = way::to_listener;
    sim_network::cargo cargo;
  };
  struct silence {
    rank from{};
    rank to{};
    time_point since{};
  };

  // For sim_carrier; a host that has left is asked nothing and told nothing.
  host_id attach(rank, endpoints, std::function<void()> wake, std::size_t lane_queue_max);
  void detach(host_id, std::span<const pipe_id> lingering);
  void open(host_id, pipe_id, lane, const std::string& endpoint);
  bool put(host_id, pipe_id, const payload& header, std::span<const payload> frames);
  void shut(host_id, pipe_id);
  void answer(const caller_id&, payload);
  void hang_up(const caller_id&);
  std::optional<carrier_event> take(host_id);
  [[nodiscard]] bool has_event(host_id) const;

  void schedule(flow_id, way, cargo, std::size_t bytes);
  void arrive(flow_id, way, cargo);
  void on(flow_id, flow&, call&);
  void on(flow_id, flow&, spoken&);
  void on(flow_id, flow&, finish&);
  void on(flow_id, flow&, answered&);
  void on(flow_id, flow&, room&);
  void on(flow_id, flow&, broken&);
  void expire(const silence&);
  void tell(host_id, carrier_event, flow_id = 0);
  void break_flow(flow_id, flow&, broken);
  void break_between(rank, rank, const std::string& why);
  [[nodiscard]] host_id listener_at(const std::string& endpoint) const;
  [[nodiscard]] std::optional<rank> rank_of_listener(const flow&) const;
  [[nodiscard]] bool dropped(const flow&, way) const;

  sim_network_options options_;
  random_source random_;
  time_point now_{};
  std::uint64_t ids_ = 0;
  std::uint64_t delivered_ = 0;
  std::map<host_id, host> hosts_;
  std::map<std::string, host_id> listeners_;  // by endpoint, both lanes
  std::map<flow_id, flow> flows_;
  std::map<std::pair<time_point, std::uint64_t>, std::variant<delivery, silence>> queue_;
  std::map<std::pair<rank, rank>, time_point> dropped_;  // since when
};

}  // namespace muster
