#include <muster/messages/transport/sim/sim_transport.hpp>

#include <utility>

#include <muster/messages/transport/linked_transport.hpp>

namespace muster {

// Hands everything to the network, which knows all hosts.
class sim_carrier final : public carrier {
 public:
  sim_carrier(sim_network& network, rank self, sim_options options)
      : network_(network),
        local_(options.bind == endpoints{} ? sim_endpoints(self) : std::move(options.bind)),
        id_(network.attach(self, local_, std::move(options.wake),
                           static_cast<std::size_t>(options.lane_queue_max))) {}
  ~sim_carrier() override { network_.detach(id_, {}); }

  [[nodiscard]] endpoints local() const override { return local_; }
  status open(time_point now, pipe_id pipe, lane on, const std::string& endpoint) override {
    network_.advance(now);
    network_.open(id_, pipe, on, endpoint);
    return {};
  }
  bool put(pipe_id pipe, const payload& header, std::span<const payload> frames) override {
    return network_.put(id_, pipe, header, frames);
  }
  void shut(pipe_id pipe) override { network_.shut(id_, pipe); }
  void welcome(const caller_id& who, payload reply) override {
    network_.answer(who, std::move(reply));
  }
  void turn_away(const caller_id& who, std::optional<payload> reply) override {
    if (reply)
      network_.answer(who, std::move(*reply));
    else
      network_.hang_up(who);
  }
  std::optional<carrier_event> take(time_point now) override {
    network_.advance(now);
    return network_.take(id_);
  }
  [[nodiscard]] bool ready() const override { return network_.has_event(id_); }
  [[nodiscard]] std::optional<time_point> deadline() const override { return std::nullopt; }
  [[nodiscard]] int descriptor() const override { return -1; }
  void close(std::span<const pipe_id> lingering) override { network_.detach(id_, lingering); }

 private:
  sim_network& network_;
  endpoints local_;
  std::uint64_t id_;
};

endpoints sim_endpoints(rank who) {
  const std::string host = "sim://" + to_string(who);
  return {host + "/control", host + "/bulk"};
}

std::unique_ptr<transport> make_sim_transport(sim_network& network, transport_identity self,
                                              sim_options options) {
  auto bare = make_sim_carrier(network, self.self, std::move(options));
  return std::make_unique<linked_transport>(std::move(self), std::move(bare));
}

std::unique_ptr<carrier> make_sim_carrier(sim_network& network, rank self, sim_options options) {
  return std::make_unique<sim_carrier>(network, self, std::move(options));
}

}  // namespace muster
