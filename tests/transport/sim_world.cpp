#include <muster/tests/transport/world.hpp>

#include <algorithm>
#include <stdexcept>

#include <muster/messages/transport/sim/sim_network.hpp>
#include <muster/messages/transport/sim/sim_transport.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

class sim_world final : public world {
 public:
  // Before the network, which the transports need until their end.
  ~sim_world() override {
    hosts_.clear();
    strangers_.clear();
  }

  bool until(const std::function<bool()>& condition) override {
    for (const time_point end = now_ + 1h; now_ < end;) {
      const bool any = poll_all();
      if (condition()) return true;
      if (any || network_.deliver_one(now_)) continue;
      const auto next = next_instant();
      if (!next) return false;
      now_ = std::max(now_, *next);
    }
    return false;
  }

  void pass(duration d) override {
    const time_point end = now_ + d;
    while (true) {
      if (poll_all() || network_.deliver_one(now_)) continue;
      const auto next = next_instant();
      if (!next || *next > end) break;
      now_ = std::max(now_, *next);
    }
    now_ = end;
  }

  [[nodiscard]] time_point now() const override { return now_; }

  endpoints address_of_nobody() override {
    const std::string name = "sim://host" + std::to_string(++addresses_);
    return {name + "/control", name + "/bulk"};
  }
  void cut(test_host& host) override {
    for (rank other : ranks_) network_.cut_link(rank_at(host), other);
  }
  void silence(test_host& host) override {
    for (rank other : ranks_) network_.drop_link(other, rank_at(host));
  }
  void heal(test_host& host) override {
    for (rank other : ranks_) network_.heal_link(other, rank_at(host));
  }
  void make_noise(test_host& host) override {
    auto& noise = add_stranger();
    if (!noise.connections->open(now_, pipe_id{1}, lane::control, host.where.control).ok())
      throw std::runtime_error("the simulated network refuses to open a connection");
    noise.connections->put(pipe_id{1}, payload::copy_of("GET / HTTP/1.1\r\n"), {});
  }

 private:
  std::unique_ptr<transport> make(const endpoints& where, transport_identity who,
                                  int lane_queue_max) override {
    ranks_.push_back(who.self);
    by_address_.emplace_back(where, who.self);
    return make_sim_transport(network_, std::move(who), {where, {}, lane_queue_max});
  }
  std::unique_ptr<carrier> make_carrier() override {
    return make_sim_carrier(network_, rank{limits::world_size_max - 1},
                            {address_of_nobody(), {}, 1'000});
  }
  [[nodiscard]] rank rank_at(const test_host& host) const {
    return std::ranges::find(by_address_, host.where, &std::pair<endpoints, rank>::first)->second;
  }
  [[nodiscard]] std::optional<time_point> next_instant() const {
    auto next = first_deadline();
    if (const auto due = network_.next_due()) next = std::min(next.value_or(never), *due);
    return next;
  }

  sim_network network_{{.seed = 7}};
  time_point now_{};
  std::uint64_t addresses_ = 0;
  std::vector<rank> ranks_;
  std::vector<std::pair<endpoints, rank>> by_address_;
};

}  // namespace

std::unique_ptr<world> make_sim_world() { return std::make_unique<sim_world>(); }

}  // namespace muster
