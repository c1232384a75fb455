#include <muster/tests/transport/world.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>

#include <poll.h>
#include <unistd.h>

#include <muster/messages/transport/zmq/zmq_carrier.hpp>
#include <muster/messages/transport/zmq/zmq_transport.hpp>
#include <muster/tests/transport/relay.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

// Real time decides nothing but when a test that hangs is given up.
constexpr auto patience = 30s;

// Every host is dialled through a relay per lane, so that links can be cut and held.
class zmq_world final : public world {
 public:
  bool until(const std::function<bool()>& condition) override {
    for (const time_point end = now() + patience; now() < end;) {
      bool any = poll_all();
      for (auto& [name, r] : relays_) any = r.pump() || any;
      if (condition()) return true;
      if (!any) wait(end);
    }
    return false;
  }
  void pass(duration d) override { passed_ += d; }
  [[nodiscard]] time_point now() const override {
    return time_point{std::chrono::steady_clock::now().time_since_epoch()} + passed_;
  }

  endpoints address_of_nobody() override { return {new_relay(), new_relay()}; }
  void cut(test_host& host) override {
    relays_.at(host.where.control).cut();
    relays_.at(host.where.bulk).cut();
  }
  void silence(test_host& host) override {
    relays_.at(host.where.control).hold(true);
    relays_.at(host.where.bulk).hold(true);
  }
  void heal(test_host& host) override {
    relays_.at(host.where.control).hold(false);
    relays_.at(host.where.bulk).hold(false);
  }
  // Text that is no ZeroMQ at all, and a greeting with a mechanism that does not exist.
  void make_noise(test_host& host) override {
    std::string greeting(64, '\0');
    greeting.replace(0, 12, std::string("\xff\0\0\0\0\0\0\0\x01\x7f\x03\0", 12));
    greeting.replace(12, 4, "SING");
    for (const std::string& noise :
         {std::string("GET / HTTP/1.1\r\nHost: nobody\r\n\r\n"), greeting}) {
      noise_.push_back(connect_to(host.where.control));
      if (::write(noise_.back().get(), noise.data(), noise.size()) !=
          static_cast<ssize_t>(noise.size()))
        throw std::runtime_error("can't write to loopback");
    }
  }

 private:
  std::string new_relay() {
    relay r;
    std::string name = r.endpoint();
    relays_.emplace(name, std::move(r));
    return name;
  }
  std::unique_ptr<transport> make(const endpoints& where, transport_identity who,
                                  int lane_queue_max) override {
    zmq_options options;
    options.lane_queue_max = lane_queue_max;
    auto made = make_zmq_transport(std::move(who), options).value();
    relays_.at(where.control).forward_to(made->local().control);
    relays_.at(where.bulk).forward_to(made->local().bulk);
    return made;
  }
  std::unique_ptr<carrier> make_carrier() override {
    return std::make_unique<zmq_carrier>(zmq_options{}, 100);
  }

  void wait(time_point end) {
    std::vector<pollfd> watched;
    for (const auto& host : hosts_)
      if (!host.paused) watched.push_back({host.link->descriptor(), POLLIN, 0});
    for (const auto& s : strangers_) watched.push_back({s.connections->descriptor(), POLLIN, 0});
    for (const auto& [name, r] : relays_) r.watch(watched);
    const auto left = std::min(first_deadline().value_or(end), end) - now();
    const auto ms =
        std::chrono::ceil<std::chrono::milliseconds>(std::max<duration>(left, 0ns)).count();
    ::poll(watched.data(), watched.size(), static_cast<int>(ms));
  }

  duration passed_{};
  std::map<std::string, relay> relays_;
  std::vector<owned_fd> noise_;
};

}  // namespace

std::unique_ptr<world> make_zmq_world() { return std::make_unique<zmq_world>(); }

}  // namespace muster
