#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/control.hpp>
#include <muster/messages/wire/codec.hpp>
#include <muster/runtime/launcher/meeting_point.hpp>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Says what it was told to say and writes down what it is asked to do.
struct scripted_transport : transport {
  std::deque<transport_event> events;
  std::vector<std::string> orders;

  endpoints local() const override { return {"tcp://127.0.0.1:1", "tcp://127.0.0.1:2"}; }
  void dial(time_point, rank peer, endpoints where, std::optional<incarnation>) override {
    orders.push_back("dial " + std::to_string(peer.value) + " at " + where.control);
  }
  void hang_up(rank peer) override { orders.push_back("hang up " + std::to_string(peer.value)); }
  send_result send(rank peer, lane, payload header, std::span<const payload> frames) override {
    auto said = decode(header, {frames.begin(), frames.end()}).value();
    orders.push_back("tell " + std::to_string(peer.value) + " " +
                     std::get<root_at>(said.body).control_endpoint);
    return send_result::sent;
  }
  std::vector<transport_event> poll(time_point) override {
    std::vector<transport_event> out(events.begin(), events.end());
    events.clear();
    return out;
  }
  std::optional<time_point> deadline() const override { return std::nullopt; }
  int descriptor() const override { return -1; }
  const transport_counters& counters() const override { return counters_; }
  void close() override {}

 private:
  transport_counters counters_;
};

struct MeetingPoint : testing::Test {
  scripted_transport* wire = new scripted_transport;
  std::vector<std::string> said;
  meeting_point meeting{std::unique_ptr<transport>(wire), 3,
                        [this](auto& text) { said.push_back(text); }};

  /// Of host r in life n.
  static peer_heard hello(std::uint32_t r, std::uint64_t life = 1) {
    auto port = std::to_string(r) + "000" + std::to_string(life);
    return {rank{r}, {{r, life}}, {"tcp://h:" + port, "tcp://h:1" + port}};
  }
  std::vector<std::string> when(std::vector<transport_event> events) {
    wire->events.assign(events.begin(), events.end());
    wire->orders.clear();
    while (meeting.step(time_point{})) {
    }
    return wire->orders;
  }
};

TEST_F(MeetingPoint, IsNamedByBothLanes) { EXPECT_EQ(meeting.where(), "127.0.0.1:1,127.0.0.1:2"); }

TEST_F(MeetingPoint, WaitsForTheRootBeforeItDialsAnybody) {
  EXPECT_THAT(when({hello(1), hello(2)}), IsEmpty());
  EXPECT_THAT(when({hello(0)}), ElementsAre("dial 1 at tcp://h:10001", "dial 2 at tcp://h:20001"));
}

TEST_F(MeetingPoint, TellsWhereTheRootIsOnceALinkIsUp) {
  when({hello(0), hello(1)});
  EXPECT_THAT(when({link_up{rank{1}}}), ElementsAre("tell 1 tcp://h:00001"));
}

TEST_F(MeetingPoint, TellsAgainOnANewLifeOfTheLink) {
  when({hello(0), hello(1), link_up{rank{1}}});
  EXPECT_THAT(when({link_down{rank{1}, "reset", 1}, link_up{rank{1}}}),
              ElementsAre("tell 1 tcp://h:00001"));
}

TEST_F(MeetingPoint, TellsEveryoneAboutANewRoot) {
  when({hello(0), hello(1), link_up{rank{1}}, hello(2)});
  EXPECT_THAT(when({hello(0, 2)}), ElementsAre("tell 1 tcp://h:00002", "dial 2 at tcp://h:20001"));
}

TEST_F(MeetingPoint, DialsAHostAgainThatHasANewLife) {
  when({hello(0), hello(1)});
  EXPECT_THAT(when({hello(1)}), IsEmpty()) << "the same life, on its other lane";
  EXPECT_THAT(when({hello(1, 2)}), ElementsAre("dial 1 at tcp://h:10002"));
}

TEST_F(MeetingPoint, IgnoresWhoIsNotOfThisWorld) {
  EXPECT_THAT(when({hello(0), hello(3)}), IsEmpty());
}

TEST_F(MeetingPoint, HangsUpOnAHostThatEnded) {
  when({hello(0), hello(1)});
  meeting.on_host_ended(rank{1});
  meeting.on_host_ended(rank{2});
  EXPECT_THAT(wire->orders, ElementsAre("dial 1 at tcp://h:10001", "hang up 1"));
}

TEST_F(MeetingPoint, SaysWhoRefusesIt) {
  when({hello(0), hello(1), link_refused{rank{1}, error(status_code::refused, "another job")}});
  EXPECT_THAT(said, ElementsAre("host 1 refuses the launcher: refused: another job"));
}

}  // namespace
}  // namespace muster
