#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/transport/sim/sim_network.hpp>
#include <muster/messages/transport/sim/sim_transport.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::IsEmpty;
using testing::Le;

constexpr time_point t0{};

// Two bare connections over one network: a pipe from rank 0 to rank 1, and what came out of it
// when.
struct wire_pair {
  explicit wire_pair(sim_network_options options = {}) : network(options) {
    if (!from->open(t0, pipe_id{1}, lane::control, to->local().control).ok())
      throw std::runtime_error("open");
  }
  void say(std::string_view text) { from->put(pipe_id{1}, payload::copy_of(text), {}); }
  void run(time_point end) {
    while (network.next_due().value_or(never) <= end) {
      const time_point now = *network.next_due();
      network.deliver_one(now);
      while (auto e = to->take(now))
        if (auto* spoke = std::get_if<caller_spoke>(&*e))
          heard.emplace_back(spoke->header.text(), now - t0);
      while (auto e = from->take(now))
        if (auto* lost = std::get_if<pipe_lost>(&*e)) breaks.emplace_back(lost->why, now - t0);
    }
    network.advance(end);
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> out;
    for (const auto& [text, when] : heard) out.push_back(text);
    return out;
  }

  sim_network network;
  std::unique_ptr<carrier> from = make_sim_carrier(network, rank{0});
  std::unique_ptr<carrier> to = make_sim_carrier(network, rank{1});
  std::vector<std::pair<std::string, duration>> heard, breaks;
};

TEST(SimNetwork, DeliversNothingBeforeItIsDue) {
  wire_pair w;
  w.say("x");
  EXPECT_FALSE(w.network.deliver_one(t0 + 49us));
  EXPECT_THAT(*w.network.next_due(), AllOf(Ge(t0 + 50us), Le(t0 + 501us)));
}

TEST(SimNetwork, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const auto run = [](std::uint64_t seed) {
    wire_pair w{{.seed = seed}};
    for (int i = 0; i < 50; ++i) w.say(std::to_string(i));
    w.run(t0 + 1s);
    return w.heard;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(SimNetwork, TakesTheTimeOfTheBandwidth) {
  wire_pair w{{.latency_min = 0us, .latency_max = 0us, .bytes_per_second = 1'000'000}};
  w.say(std::string(500'000, 'x'));
  w.say(std::string(500'000, 'y'));
  w.run(t0 + 2s);
  ASSERT_EQ(w.heard.size(), 2u);
  EXPECT_THAT(w.heard[0].second, AllOf(Ge(500ms), Le(501ms)));
  EXPECT_THAT(w.heard[1].second, AllOf(Ge(1'000ms), Le(1'001ms)));
}

TEST(SimNetwork, LosesPacketsAsTcpDoesLateAndInOrder) {
  wire_pair calm{{.seed = 3}}, lossy{{.seed = 3, .loss = 0.3}};
  for (auto* w : {&calm, &lossy}) {
    for (int i = 0; i < 20; ++i) w->say(std::to_string(i));
    w->run(t0 + 1min);
  }
  EXPECT_EQ(lossy.texts(), calm.texts());
  EXPECT_GT(lossy.heard.back().second, calm.heard.back().second + 100ms);
}

TEST(SimNetwork, HoldsUpADroppedLinkAndHealsIt) {
  wire_pair w;
  w.run(t0 + 1ms);
  w.network.drop_link(rank{0}, rank{1});
  w.say("a");
  w.say("b");
  w.run(t0 + 1s);
  EXPECT_THAT(w.heard, IsEmpty());
  w.network.heal_link(rank{0}, rank{1});
  w.run(t0 + 2s);
  EXPECT_THAT(w.texts(), ElementsAre("a", "b"));
  EXPECT_GE(w.heard[0].second, 1s);
}

TEST(SimNetwork, DropsOneDirectionOnly) {
  wire_pair w;
  w.run(t0 + 1ms);
  w.network.drop_link(rank{1}, rank{0});
  w.say("a");
  w.run(t0 + 1s);
  EXPECT_THAT(w.texts(), ElementsAre("a"));
}

TEST(SimNetwork, BreaksAConnectionThatWasSilentForTooLong) {
  wire_pair w;
  w.run(t0 + 1ms);
  w.network.drop_link(rank{0}, rank{1});
  w.run(t0 + limits::silence_max);
  EXPECT_THAT(w.breaks, IsEmpty());
  w.run(t0 + limits::silence_max + 10ms);
  ASSERT_EQ(w.breaks.size(), 1u);
  EXPECT_EQ(w.breaks[0].first, "nothing was heard for too long");
}

TEST(SimNetwork, ForgetsASilenceThatWasHealedInTime) {
  wire_pair w;
  w.run(t0 + 1ms);
  w.network.drop_link(rank{0}, rank{1});
  w.run(t0 + 9s);
  w.network.heal_link(rank{0}, rank{1});
  w.network.drop_link(rank{0}, rank{1});
  w.run(t0 + 18s);
  EXPECT_THAT(w.breaks, IsEmpty());
}

TEST(SimNetwork, TellsTheDiallerOfACut) {
  wire_pair w;
  w.run(t0 + 1ms);
  w.say("on its way");
  w.network.cut_link(rank{1}, rank{0});
  w.run(t0 + 1s);
  EXPECT_THAT(w.heard, IsEmpty());
  ASSERT_EQ(w.breaks.size(), 1u);
}

TEST(SimNetwork, TellsPeersOfAnExitAndLetsTheNextLifeListenThere) {
  wire_pair w;
  w.run(t0 + 1ms);
  w.network.exit(rank{1});
  w.run(t0 + 1s);
  ASSERT_EQ(w.breaks.size(), 1u);
  auto next_life = make_sim_carrier(w.network, rank{1});
  ASSERT_TRUE(w.from->open(t0 + 1s, pipe_id{2}, lane::control, next_life->local().control).ok());
  w.from->put(pipe_id{2}, payload::copy_of("welcome back"), {});
  w.run(t0 + 2s);
  EXPECT_TRUE(next_life->take(t0 + 2s).has_value());
}

TEST(SimNetwork, DoesNothingForAHostThatHasExited) {
  wire_pair w;
  w.run(t0 + 1ms);
  w.network.exit(rank{0});
  w.say("a ghost");
  w.from->shut(pipe_id{1});
  EXPECT_TRUE(w.from->open(t0 + 1ms, pipe_id{2}, lane::control, w.to->local().control).ok());
  w.run(t0 + 1s);
  EXPECT_THAT(w.heard, IsEmpty());
  EXPECT_FALSE(w.from->ready());
}

TEST(SimNetwork, WakesATransportThatHasSomethingToPoll) {
  sim_network network;
  int woken = 0;
  auto a = make_sim_transport(network, {"job", "", rank{0}, {{1, 1}}});
  auto b = make_sim_transport(network, {"job", "", rank{1}, {{2, 2}}}, {.wake = [&] { ++woken; }});
  a->dial(t0, rank{1}, b->local());
  EXPECT_EQ(woken, 0);
  while (network.deliver_one(t0 + 1s)) {
  }
  EXPECT_EQ(woken, 2) << "a hello on each lane";
  EXPECT_EQ(b->poll(t0 + 1s).size(), 1u);
  EXPECT_EQ(b->deadline(), std::nullopt);
  EXPECT_EQ(b->descriptor(), -1);
}

TEST(SimNetwork, SaysWhatItSimulates) {
  EXPECT_EQ(to_string(sim_network_options{}),
            "seed 1, latency 50 to 500 us, loss 0.000000, 10000 Mbit/s");
}

}  // namespace
}  // namespace muster
