// A transport made of a carrier: says hello and judges it, keeps one life per link, dials again,
// drops what is stale, counts what makes no sense. The only implementation of `transport`, so that
// ZeroMQ and the simulated network differ in how bytes move and in nothing else. One thread, as
// every transport.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include <muster/messages/transport/callers.hpp>
#include <muster/messages/transport/carrier.hpp>
#include <muster/messages/transport/transport.hpp>
#include <muster/messages/values/random.hpp>
#include <muster/messages/wire/hello.hpp>

namespace muster {

class linked_transport final : public transport {
 public:
  linked_transport(transport_identity self, std::unique_ptr<carrier>);
  ~linked_transport() override;

  [[nodiscard]] muster::endpoints local() const override;
  void dial(time_point now, rank peer, muster::endpoints where,
            std::optional<muster::incarnation> who) override;
  void hang_up(rank peer) override;
  send_result send(rank peer, muster::lane lane, payload header,
                   std::span<const payload> frames) override;
  std::vector<transport_event> poll(time_point now) override;
  [[nodiscard]] std::optional<time_point> deadline() const override;
  [[nodiscard]] int descriptor() const override;
  [[nodiscard]] const transport_counters& counters() const override;
  void close() override;

 private:
  using pipes = std::array<pipe_id, 2>;  // by lane
  struct dialling {
    muster::linked_transport::pipes pipes;
    std::array<std::optional<muster::welcome>, 2> welcomes;
    time_point give_up{};
  };
  struct up {
    muster::linked_transport::pipes pipes;
  };
  struct waiting {
    time_point until{};
  };
  struct refused {};
  struct link {
    muster::endpoints where;
    std::optional<muster::incarnation> who;
    std::uint32_t attempts = 0;  // dials since the last life that was up
    std::variant<refused, waiting, dialling, up> state;
  };
  struct pipe_use {
    rank peer{};
    muster::lane lane{};
  };

  void become_dialling(time_point now, rank peer, link&);
  void become_up(rank peer, link&, const dialling&);
  void become_waiting(time_point now, rank peer, link&, std::string why);
  void become_refused(rank peer, link&, status why);
  void leave_state(rank peer, link&);
  void expire(time_point now);

  void on(time_point now, pipe_answered&);
  void on(time_point now, pipe_lost&);
  void on(time_point now, pipe_room&);
  void on(time_point now, caller_spoke&);
  void on(time_point now, nonsense&);
  void on_hello(const caller_id&, const payload& header, std::span<const payload> frames);
  [[nodiscard]] status second_process(const hello&) const;
  void on_message(rank from, caller_spoke&);

  transport_identity self_;
  std::unique_ptr<carrier> carrier_;
  random_source random_;
  transport_counters counters_;
  std::map<rank, link> links_;
  std::map<pipe_id, pipe_use> pipes_;
  std::set<std::pair<time_point, rank>> due_;  // the one deadline of each link that waits or dials
  muster::callers callers_;
  std::deque<transport_event> events_;
  time_point now_{};
  std::uint64_t lives_ = 0;
  std::uint64_t pipe_ids_ = 0;
  bool closed_ = false;
};

}  // namespace muster
