// Nothing waits for ever, and nobody waits in ignorance: one verdict for all at the hard deadline, and `unknown`
// for whoever cannot learn it, at the moment that was promised. MUSTER_TEST_SEEDS sets how many random worlds
// are tried; a failing seed is run alone by MUSTER_TEST_SEED=n.
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/random.hpp>
#include <muster/runtime/simulation/simulation.hpp>
#include <muster/tests/seeds/seeds.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr time_point t0{1s};  // all have joined by then
constexpr operation_options three_seconds{1s, 3s};
constexpr duration fenced_after = 3s + limits::lease_default;

/// Forty hosts with at most three below each: the root and three levels, of which 14 .. 26 hang from 14.
simulation_options deep_world(std::uint64_t seed = 1) {
  simulation_options o;
  o.seed = seed;
  o.hosts = 40;
  o.fan_out = 3;
  return o;
}
const rank_set branch = rank_set::of_range(rank{14}, rank{26});

/// A world in which hosts call the barrier `x` at given moments, and how and when each call ends.
class callers {
 public:
  struct ending {
    status outcome;
    time_point at;
  };

  explicit callers(simulation_options o) : world(o), endings(world.world_size()) {}

  void call(rank r, time_point when, operation_options limits) {
    auto gate = std::make_shared<op_promise<void>>();
    world.after(when - time_point{}, [gate] { gate->complete(result<void>{}); });
    world.start(r, [this, gate, limits](host& h) -> task<void> {
      co_await gate->get_op();
      auto ended = co_await h.barrier("x", limits).as_result();
      endings[h.rank().value] = {ended.why(), world.now()};
    });
  }
  void call_all(time_point when, operation_options limits, const rank_set& absent = {}) {
    for (std::uint32_t r = 0; r < world.world_size(); ++r)
      if (!absent.contains(rank{r})) call(rank{r}, when, limits);
  }
  void run() { EXPECT_EQ(to_string(world.run()), to_string(status{})); }

  /// The outcomes of those who called, in rank order.
  std::vector<status> outcomes() const {
    std::vector<status> out;
    for (const auto& e : endings)
      if (e) out.push_back(e->outcome);
    return out;
  }

  simulation world;
  std::vector<std::optional<ending>> endings;
};

TEST(HardDeadline, GivesThirtySixWaitersOnThreeLevelsOneVerdictWithTheMissingRanks) {
  const rank_set absent{rank{1}, rank{7}, rank{20}, rank{39}};
  callers all(deep_world());
  all.call_all(t0, three_seconds, absent);
  all.run();
  const auto ended = all.outcomes();
  ASSERT_EQ(ended.size(), 36u);
  EXPECT_EQ(ended[0].code, status_code::deadline_exceeded);
  EXPECT_EQ(ended[0].missing(), absent);
  EXPECT_THAT(ended, Each(ended[0]));
  for (const auto& e : all.endings) {
    const auto at = e ? e->at : t0 + 3s;
    EXPECT_TRUE(t0 + 3s <= at && at <= t0 + 3s + 2 * limits::settle_max);
  }
}

TEST(HardDeadline, SaysWhereTheMissingRanksWaitInstead) {
  callers all(deep_world());
  all.call_all(t0, three_seconds, {rank{5}, rank{20}});
  all.world.start(rank{20}, [](host& h) -> task<void> {
    co_await h.barrier("another", {1s, 60s}).as_result();
  });
  all.run();
  const auto verdict = all.outcomes().front();
  EXPECT_THAT(all.outcomes(), Each(verdict));
  ASSERT_EQ(verdict.absences.size(), 2u) << to_string(verdict);
  EXPECT_EQ(verdict.absences[0].where, absence::state::elsewhere);
  EXPECT_EQ(verdict.absences[0].what, "barrier 'another'");
  EXPECT_EQ(verdict.absences[0].ranks, rank_set{rank{20}});
  EXPECT_EQ(verdict.absences[1].where, absence::state::not_arrived);
  EXPECT_EQ(verdict.absences[1].ranks, rank_set{rank{5}});
}

TEST(HardDeadline, NamesNinetyNineAbsentRanksOfAHundredInAShortText) {
  auto o = deep_world();
  o.hosts = 100;
  callers all(o);
  all.call(rank{42}, t0, three_seconds);
  all.run();
  const auto ended = all.outcomes();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].missing(), rank_set::of_range(rank{0}, rank{99}).minus({rank{42}}));
  const auto text = to_string(ended[0]);
  EXPECT_THAT(text, HasSubstr("1 of 100 ranks arrived"));
  EXPECT_THAT(text, HasSubstr("ranks 0-41,43-99 have not arrived"));
  EXPECT_LE(text.size(), 128u);
}

TEST(HardDeadline, IsTheEarliestOfThoseThatTheCallersGave) {
  callers all(deep_world());
  all.call_all(t0, {1s, 60s}, {rank{7}, rank{20}});
  all.call(rank{7}, t0 + 1s, {500ms, 2s});
  all.run();
  const auto ended = all.outcomes();
  EXPECT_THAT(ended, Each(ended[0]));
  EXPECT_EQ(ended[0].missing(), rank_set{rank{20}});
  for (const auto& e : all.endings) {
    const auto at = e ? e->at : t0 + 3s;
    EXPECT_TRUE(t0 + 3s <= at && at <= t0 + 3s + 2 * limits::settle_max);
  }
}

/// Everyone arrives around the hard deadline of the first; a few arrive much later.
std::string race_the_deadline(std::uint64_t seed, std::array<int, 2>& met) {
  random_source random(seed);
  auto o = deep_world(random.next());
  o.network.latency_max = random.chance(0.5) ? 10ms : 500us;
  if (random.chance(0.5)) {  // and what is lost comes again well within limits::settle_max
    o.network.loss = 0.05;
    o.network.retransmission = 10ms;
  }
  callers all(o);
  const bool somebody_late = random.chance(0.5);
  std::vector<time_point> arrival(o.hosts, t0);
  for (std::uint32_t r = 1; r < o.hosts; ++r) {
    arrival[r] = t0 + 480ms + 1us * random.below(somebody_late ? 25'000 : 20'000);
    if (somebody_late && random.chance(0.03)) arrival[r] += 2s;
  }
  const std::uint32_t first = static_cast<std::uint32_t>(random.below(o.hosts));
  arrival[first] = t0;
  if (first != 0) arrival[0] = t0 + 490ms;
  for (std::uint32_t r = 0; r < o.hosts; ++r)
    all.call(rank{r}, arrival[r], {100ms, r == first ? 500ms : 30s});
  all.run();
  const auto ended = all.outcomes();
  ++met[ended[0].ok() ? 0 : 1];
  if (ended.size() != o.hosts || ended != std::vector(o.hosts, ended[0])) return "verdicts differ";
  const auto named = ended[0].missing();
  for (std::uint32_t r = 0; r < o.hosts; ++r) {
    const auto who = "rank " + std::to_string(r);
    if (arrival[r] < t0 + 500ms && named.contains(rank{r})) return who + " was in flight";
    if (arrival[r] > t0 + 1s && !named.contains(rank{r})) return who + " was late";
  }
  return "";
}

TEST(HardDeadline, NeverNamesARankWhoseArrivalWasInFlight) {
  const auto seeds = testing::seeds_to_run(150);
  std::array<int, 2> met{};
  for (std::uint64_t seed = seeds.first; seed != seeds.end(); ++seed)
    ASSERT_EQ(race_the_deadline(seed, met), "") << testing::replay(seed, "simulation_test");
  if (seeds.count < 20) return;
  EXPECT_GT(met[0], 0) << "no world in which all had arrived";
  EXPECT_GT(met[1], 0) << "no world in which somebody was missing";
}

TEST(Cancel, GivesEveryMemberOneCancelledThatNamesWhoAsked) {
  callers all(deep_world());
  all.call_all(t0, three_seconds, {rank{39}});
  all.call(rank{3}, t0 + 10s, three_seconds);  // much later than the verdict
  op<void> call;
  all.world.after(1s, [&] { call = all.world.at(rank{39}).barrier("x", three_seconds); });
  all.world.after(1500ms, [&] { call.cancel(); });
  all.run();
  ASSERT_EQ(all.outcomes().size(), 39u);
  const auto verdict = call.wait().why();
  EXPECT_EQ(verdict.code, status_code::cancelled);
  EXPECT_THAT(verdict.text, HasSubstr("rank 39"));
  EXPECT_THAT(all.outcomes(), Each(verdict));
  EXPECT_LT(all.endings[0]->at, t0 + 1s) << "nobody waits for the deadline";
}

TEST(Cancel, ThatComesTooLateChangesNothing) {
  callers all(deep_world());
  all.call_all(t0, three_seconds, {rank{39}});
  op<void> call;
  all.world.after(1s, [&] { call = all.world.at(rank{39}).barrier("x", three_seconds); });
  all.run();
  call.cancel();
  EXPECT_TRUE(call.wait().ok());
  EXPECT_THAT(all.outcomes(), Each(status{}));
}

TEST(WaiterCutOffFromTheRoot, SaysUnknownAtItsHardDeadlineAndALeaseAndNotBefore) {
  callers all(deep_world());
  all.call_all(t0, three_seconds);
  all.world.after(900ms, [&] {
    all.world.network().drop_link(rank{0}, rank{14});
    all.world.network().drop_link(rank{14}, rank{0});
  });
  all.run();
  for (std::uint32_t r = 0; r < 40; ++r) {
    const auto& [outcome, at] = *all.endings[r];
    if (branch.contains(rank{r})) {
      EXPECT_EQ(outcome.code, status_code::unknown) << r;
      EXPECT_EQ(at, t0 + fenced_after) << r;
    } else {
      EXPECT_EQ(outcome, all.endings[0]->outcome) << r;
      EXPECT_LE(at, t0 + 3s + 2 * limits::settle_max) << r;
    }
  }
  EXPECT_EQ(all.endings[0]->outcome.code, status_code::deadline_exceeded);
  EXPECT_EQ(all.endings[0]->outcome.missing(), branch);
}

TEST(WaiterCutOffFromTheRoot, IsNotToldThatItFailedWhenTheOthersHaveSucceeded) {
  callers all(deep_world());
  all.call_all(t0, three_seconds);
  all.world.after(900ms, [&] { all.world.network().drop_link(rank{0}, rank{14}); });
  all.run();
  for (std::uint32_t r = 0; r < 40; ++r) {
    const bool cut = branch.contains(rank{r});
    EXPECT_EQ(all.endings[r]->outcome.code, cut ? status_code::unknown : status_code::ok) << r;
    EXPECT_EQ(all.endings[r]->at == t0 + fenced_after, cut) << r;
  }
}

TEST(WaiterCutOffFromTheRoot, HearsTheVerdictWhenOnlyItsOwnWordsAreLost) {
  callers all(deep_world());
  all.call_all(t0, three_seconds);
  all.world.after(900ms, [&] { all.world.network().drop_link(rank{14}, rank{0}); });
  all.run();
  EXPECT_THAT(all.outcomes(), Each(all.outcomes()[0]));
  EXPECT_EQ(all.outcomes()[0].code, status_code::deadline_exceeded);
  EXPECT_EQ(all.outcomes()[0].missing(), branch);
}

TEST(FencedHost, TakesNoFurtherPartWhenItsLinkIsHealed) {
  callers all(deep_world());
  all.call_all(t0, three_seconds);
  all.world.after(900ms, [&] {
    all.world.network().drop_link(rank{0}, rank{14});
    all.world.network().drop_link(rank{14}, rank{0});
  });
  all.run();
  all.world.network().heal_link(rank{0}, rank{14});
  all.world.network().heal_link(rank{14}, rank{0});
  EXPECT_EQ(all.world.at(rank{14}).barrier("y").wait().why().code, status_code::unknown);
  EXPECT_EQ(all.world.at(rank{20}).barrier("y").wait().why().code, status_code::unknown);
  const auto rest = all.world.at(rank{0}).barrier("y", three_seconds).wait().why();
  EXPECT_EQ(rest.code, status_code::deadline_exceeded);
  EXPECT_EQ(rest.missing(), rank_set::of_range(rank{1}, rank{39}));
}

}  // namespace
}  // namespace muster
