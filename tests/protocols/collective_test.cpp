// The collective core, one behaviour at a time: what it is told, and what it then wants done.
#include <gtest/gtest.h>

#include <muster/tests/protocols/collective_words.hpp>

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(WorldOfOne, IsReleasedInTheStepInWhichItArrives) {
  auto core = core_of(0, 1);
  EXPECT_THAT(outcomes(core.step(t0, arrives("x"))), ends_with(status_code::ok));
}

TEST(LeafOfABarrier, SaysOnlyThatItsSubtreeIsComplete) {
  auto leaf = core_of(1, 3);
  const auto effects = leaf.step(t0, arrives("x", {1s, 5s}));
  const auto up = sent<complete>(effects);
  ASSERT_THAT(up, SizeIs(1));
  EXPECT_EQ(up[0].first, rank{0});
  EXPECT_EQ(up[0].second.remaining, (deadlines{1s, 5s}));
  EXPECT_THAT(sent<opened>(effects), IsEmpty());
}

TEST(RootOfABarrier, ReleasesWhenTheLastMemberArrivesAndNotBefore) {
  auto root = core_of(0, 3);
  EXPECT_THAT(outcomes(root.step(t0, arrives("x"))), IsEmpty());
  EXPECT_THAT(outcomes(root.step(t0, completes(1, "x"))), IsEmpty());
  const auto effects = root.step(t0, completes(2, "x"));
  EXPECT_THAT(outcomes(effects), ends_with(status_code::ok));
  EXPECT_THAT(sent<verdict>(effects), SizeIs(2));
}

TEST(RootOfABarrier, AsksAtTheHardDeadlineAndNamesTheRanksThatHaveNotArrived) {
  auto root = core_of(0, 3);
  root.step(t0, arrives("x", {10s, 5s}));
  EXPECT_EQ(root.deadline(), t0 + 5s);
  EXPECT_THAT(sent<close>(root.step(t0 + 5s, tick{})), SizeIs(2));
  root.step(t0 + 5s + 1ms, from(1, closed{barrier("x"), {}, true, 1}));
  const auto ended = outcomes(root.step(t0 + 5s + 2ms, completes(2, "x")));
  ASSERT_THAT(ended, ends_with(status_code::deadline_exceeded));
  EXPECT_EQ(ended[0].missing(), rank_set{rank{1}});
}

TEST(RootOfABarrier, SucceedsWhenTheAnswersShowThatAllHadArrived) {
  auto root = core_of(0, 3);
  root.step(t0, arrives("x", {10s, 5s}));
  root.step(t0 + 5s, tick{});
  root.step(t0 + 5s + 1ms, completes(1, "x"));
  EXPECT_THAT(outcomes(root.step(t0 + 5s + 2ms, completes(2, "x"))), ends_with(status_code::ok));
}

TEST(RootOfABarrier, DecidesWithoutASilentMemberWhenTheTimeForAnswersIsOver) {
  auto root = core_of(0, 3);
  root.step(t0, arrives("x", {10s, 5s}));
  root.step(t0 + 5s, tick{});
  root.step(t0 + 5s + 1ms, completes(1, "x"));
  EXPECT_EQ(root.deadline(), t0 + 5s + limits::settle_max);
  const auto ended = outcomes(root.step(t0 + 5s + limits::settle_max, tick{}));
  ASSERT_THAT(ended, ends_with(status_code::deadline_exceeded));
  EXPECT_EQ(ended[0].missing(), rank_set{rank{2}});
}

TEST(RootOfABarrier, DoesNotCountALateAnswerToAnEarlierAsk) {
  auto root = core_of(0, 3);
  root.step(t0, arrives("x", {10s, 5s}));
  root.step(t0 + 1s, completes(1, "x"));
  root.step(t0 + 5s, tick{});
  EXPECT_THAT(outcomes(root.step(t0 + 5s, from(2, closed{barrier("x"), {}, true, 7}))), IsEmpty());
}

TEST(RootOfABarrier, IsNotReleasedByAnArrivalThatCrossedAVerdict) {
  auto root = core_of(0, 2);
  root.step(t0, arrives("x", {10s, 1s}));
  root.step(t0 + 1s, tick{});
  root.step(t0 + 1s, from(1, closed{barrier("x"), {}, true, 1}));  // decided as verdict 1
  root.step(t0 + 2s, arrives("x", {10s, 1s}, 2));
  const auto effects =
      root.step(t0 + 2s, completes(1, "x", 0));  // spoken before verdict 1 was known
  EXPECT_THAT(outcomes(effects), IsEmpty());
  EXPECT_THAT(all<ignored>(effects), SizeIs(1));
  EXPECT_THAT(outcomes(root.step(t0 + 2s, completes(1, "x", 1))), ends_with(status_code::ok));
}

TEST(RootOfABarrier, RemembersNothingOfAMillionThatAreOver) {
  auto root = core_of(0, 2);
  for (std::uint64_t n = 0; n < 1'000'000; ++n) {
    const auto name = "step " + std::to_string(n);
    root.step(t0, completes(1, name, n));  // by which it has heard of the one before
    root.step(t0, arrives(name, {1s, 5s}, n + 1));
    const auto kept = root.table_sizes();
    ASSERT_TRUE(kept.instances + kept.untaken + kept.waiters == 0 && kept.log == 1) << n;
  }
}

TEST(LateCaller, GetsTheOutcomeOfTheRoundItMissedAndThenJoinsTheNext) {
  auto late = core_of(1, 2);
  late.step(t0, from(0, decided(1, barrier("x"), error(status_code::deadline_exceeded, "x"))));
  EXPECT_THAT(outcomes(late.step(t0 + 1s, arrives("x"))),
              ends_with(status_code::deadline_exceeded));
  const auto next = late.step(t0 + 1s, arrives("x", {1s, 5s}, 2));
  EXPECT_THAT(outcomes(next), IsEmpty());
  EXPECT_THAT(sent<complete>(next), SizeIs(1));
}

TEST(Mismatch, ListsWhoSaidWhatAndWhoWasNotHeard) {
  auto root = core_of(0, 4);
  root.step(t0, arrive{ticket{1}, says(op_kind::sync_global_devices, "plumless"), {1s, 5s}, {}});
  const auto effects = root.step(
      t0, from(2, complete{
                      operation(1), {1s, 5s}, says(op_kind::sync_global_devices, "buckeroo"), {}}));
  const auto ended = outcomes(effects);
  ASSERT_THAT(ended, ends_with(status_code::mismatch));
  EXPECT_THAT(ended[0].statements,
              ElementsAre(statement{says(op_kind::sync_global_devices, "plumless"), {rank{0}}},
                          statement{says(op_kind::sync_global_devices, "buckeroo"), {rank{2}}}));
  EXPECT_EQ(ended[0].unheard, (rank_set{rank{1}, rank{3}}));
}

TEST(OrderedOperation, ConsumesItsNumberWhenItFailsButNotWhenItIsRefused) {
  auto leaf = core_of(1, 2);
  leaf.step(t0,
            arrive{ticket{1},
                   says(op_kind::sync_global_devices, std::string(limits::name_bytes_max + 1, 'n')),
                   {},
                   {}});
  auto first = sent<complete>(
      leaf.step(t0, arrive{ticket{2}, says(op_kind::sync_global_devices, "a"), {}, {}}));
  EXPECT_EQ(first.at(0).second.key, operation(1));
  leaf.step(t0, from(0, decided(1, operation(1), error(status_code::cancelled, "x"))));
  auto second = sent<complete>(
      leaf.step(t0, arrive{ticket{3}, says(op_kind::sync_global_devices, "a"), {}, {}}));
  EXPECT_EQ(second.at(0).second.key, operation(2));
}

TEST(WaiterWithoutAVerdict, IsFencedAtItsHardDeadlineAndALeaseAndSaysUnknown) {
  auto leaf = core_of(1, 2);
  leaf.step(t0, arrives("x", {1s, 2s}));
  EXPECT_THAT(outcomes(leaf.step(t0 + 2s + limits::lease_default - 1ns, tick{})), IsEmpty());
  const auto effects = leaf.step(t0 + 2s + limits::lease_default, tick{});
  EXPECT_THAT(outcomes(effects), ends_with(status_code::unknown));
  EXPECT_THAT(all<fence>(effects), SizeIs(1));
  EXPECT_THAT(outcomes(leaf.step(t0 + 8s, arrives("y", {1s, 2s}, 2))),
              ends_with(status_code::unknown));
}

TEST(InnerNode, OpensOnceAndCompletesWhenItsSubtreeHasArrived) {
  auto inner = core_of(1, 7, 2);  // children 2 and 3
  EXPECT_THAT(sent<opened>(inner.step(t0, completes(2, "x"))), SizeIs(1));
  EXPECT_THAT(sent<opened>(inner.step(t0, arrives("x"))), IsEmpty());
  EXPECT_THAT(sent<complete>(inner.step(t0, completes(3, "x"))), SizeIs(1));
}

TEST(InnerNode, SaysItsStateAgainOnANewLinkToItsParent) {
  auto inner = core_of(1, 7, 2);
  inner.step(t0, arrives("x"));
  const auto effects = inner.step(t0 + 1s, peer_connected{rank{0}});
  EXPECT_THAT(sent<acknowledge>(effects), SizeIs(1));
  EXPECT_THAT(sent<opened>(effects), SizeIs(1));
}

TEST(InnerNode, ContinuesTheLogFromWhatTheChildHasAcknowledged) {
  auto inner = core_of(1, 7, 2);
  inner.step(t0, from(0, decided(1, barrier("a"))));
  inner.step(t0, from(0, decided(2, barrier("b"))));
  inner.step(t0, from(2, acknowledge{}, 1));
  const auto again = sent<verdict>(inner.step(t0 + 1s, peer_connected{rank{2}}));
  ASSERT_THAT(again, SizeIs(1));
  EXPECT_EQ(again[0].second.number, verdict_number{2});
}

TEST(SoftDeadline, ReportsWhoIsMissingAndWhereElseTheyWaitWithoutFailing) {
  auto root = core_of(0, 3);
  root.step(t0, arrives("x", {1s, 60s}));
  root.step(t0, completes(2, "y"));
  const auto reports = all<report_stalled>(root.step(t0 + 1s, tick{}));
  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_THAT(reports[0].report.absences,
              ElementsAre(absence{{rank{2}}, absence::state::elsewhere, "barrier 'y'", 1s},
                          absence{{rank{1}}, absence::state::not_arrived, "", {}}));
  EXPECT_THAT(all<report_stalled>(root.step(t0 + 1999ms, tick{})), SizeIs(0));
  EXPECT_THAT(all<report_stalled>(root.step(t0 + 2s, tick{})), SizeIs(1)) << "after twice the time";
}

TEST(CrossedWaits, AreReportedSoonAndOnceToBothSides) {
  auto root = core_of(0, 2);
  (void)root.step(t0, arrives("a", {10s, 60s}));
  (void)root.step(t0, completes(1, "b"));
  auto effects = root.step(t0 + limits::intents_interval, tick{});
  const auto told = sent<stalled>(effects);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(
      to_string(told[0].second),
      "barrier 'a': 1 of 2 have arrived after 250 ms; rank 1 waits in barrier 'b' for 250 ms");
  EXPECT_EQ(
      to_string(told[1].second),
      "barrier 'b': 1 of 2 have arrived after 250 ms; rank 0 waits in barrier 'a' for 250 ms");
  EXPECT_EQ(all<report_stalled>(effects).size(), 1u) << "rank 0 waits in one of them";
  EXPECT_TRUE(outcomes(effects).empty()) << "nothing has failed";
  EXPECT_TRUE(sent<stalled>(root.step(t0 + 700ms, tick{})).empty()) << "once";
}

TEST(CrossedWaits, AreNoneWhereOneHostWaitsInBoth) {
  auto root = core_of(0, 3);
  (void)root.step(t0, arrives("a", {10s, 60s}, 1));
  (void)root.step(t0, arrives("b", {10s, 60s}, 2));
  (void)root.step(t0, completes(1, "a"));
  EXPECT_TRUE(sent<stalled>(root.step(t0 + limits::intents_interval, tick{})).empty());
}

TEST(Leave, FailsWhoeverWaitsForALeaver) {
  auto root = core_of(0, 2);
  root.step(t0, arrives("x", {1s, 60s}));
  const auto asked = sent<close>(root.step(
      t0, from(1, complete{named_key{op_kind::leave, ""}, {1s, 60s}, says(op_kind::leave), {}})));
  ASSERT_THAT(asked, SizeIs(1));
  const auto ended =
      outcomes(root.step(t0, from(1, closed{barrier("x"), {}, true, asked[0].second.ask})));
  ASSERT_THAT(ended, ends_with(status_code::left));
  EXPECT_EQ(ended[0].missing(), rank_set{rank{1}});
}

TEST(Leave, LetsTheRootGoLastWhenItsChildrenHaveAcknowledged) {
  auto root = core_of(0, 2);
  root.step(t0, arrive{ticket{1}, says(op_kind::leave), {1s, 60s}, {}});
  const auto decided_now = root.step(
      t0, from(1, complete{named_key{op_kind::leave, ""}, {1s, 60s}, says(op_kind::leave), {}}));
  EXPECT_THAT(outcomes(decided_now), ends_with(status_code::ok));
  EXPECT_THAT(all<depart>(decided_now), IsEmpty());
  EXPECT_THAT(all<depart>(root.step(t0, from(1, acknowledge{}, 1))), SizeIs(1));
}

TEST(Cancel, IsDecidedByTheRootForEveryone) {
  auto leaf = core_of(1, 2);
  leaf.step(t0, arrives("x"));
  const auto asked =
      leaf.step(t0, cancel{ticket{1}, error(status_code::cancelled, "not needed any more")});
  EXPECT_THAT(outcomes(asked), IsEmpty());
  ASSERT_THAT(sent<fail>(asked), SizeIs(1));
  auto root = core_of(0, 2);
  root.step(t0, arrives("x"));
  root.step(t0,
            from(1, opened{barrier("x"), {1s, 5s}, {{says(op_kind::barrier, "x"), {rank{1}}}}}));
  EXPECT_THAT(outcomes(root.step(t0, from(1, sent<fail>(asked)[0].second))),
              ends_with(status_code::cancelled));
}

TEST(Straggler, IsNotAllowedToCollectOutcomesForEver) {
  auto root = core_of(0, 2);
  root.step(t0, from(1, behind{rank{1}, {barrier("x")}, false, false}));
  const auto ended = outcomes(root.step(t0, arrives("x")));
  ASSERT_THAT(ended, ends_with(status_code::straggler_behind));
  EXPECT_THAT(outcomes(root.step(t0, arrives("y", {1s, 5s}, 2))), IsEmpty()) << "other names go on";
}

TEST(Straggler, SaysSoWhenANameIsAtItsLimitAndAgainWhenItHasCaughtUp) {
  auto leaf = core_of(1, 2);
  collective_effects last;
  for (std::uint64_t n = 1; n <= limits::untaken_rounds_max; ++n)
    last = leaf.step(t0,
                     from(0, decided(n, barrier("x"), error(status_code::deadline_exceeded, "x"))));
  ASSERT_THAT(sent<behind>(last), SizeIs(1));
  EXPECT_THAT(sent<behind>(last)[0].second.names, ElementsAre(barrier("x")));
  const auto taken = sent<behind>(leaf.step(t0, arrives("x")));
  ASSERT_THAT(taken, SizeIs(1));
  EXPECT_THAT(taken[0].second.names, IsEmpty());
}

TEST(Reduction, IsFoldedAtEachNodeAndFinishedAtTheRoot) {
  auto root = core_of(0, 2);
  auto said = says(op_kind::all_reduce);
  said.leaf_count = 2;
  root.step(t0, arrive{ticket{1}, said, {1s, 5s}, {{{0, 1}}, {payload::copy_of("a")}}});
  const auto folds = all<fold>(root.step(
      t0, from(1, complete{operation(1), {1s, 5s}, said, {{{1, 2}}, {payload::copy_of("b")}}})));
  ASSERT_THAT(folds, SizeIs(1));
  EXPECT_TRUE(folds[0].finish);
  EXPECT_THAT(folds[0].inputs, SizeIs(2));
  const auto done = all<release>(
      root.step(t0, folded{folds[0].fold_id, {}, {{{0, 2}}, {payload::copy_of("ab")}}}));
  ASSERT_THAT(done, SizeIs(1));
  EXPECT_EQ(done[0].result.frames.at(0).text(), "ab");
}

TEST(Reduction, FailsEverywhereWhenADeviceFailsToFold) {
  auto leaf = core_of(1, 2);
  auto said = says(op_kind::all_reduce);
  said.leaf_count = 2;
  const auto folds = all<fold>(
      leaf.step(t0, arrive{ticket{1}, said, {1s, 5s}, {{{1, 2}}, {payload::copy_of("b")}}}));
  const auto told = sent<fail>(
      leaf.step(t0, folded{folds.at(0).fold_id, error(status_code::device_error, "device 3"), {}}));
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].second.cause.code, status_code::device_error);
}

TEST(Core, GivesEveryInputThatMeansNothingAReason) {
  auto root = core_of(0, 3, 2);
  EXPECT_THAT(all<ignored>(root.step(t0, completes(9, "x"))), SizeIs(1)) << "no neighbour";
  EXPECT_THAT(all<ignored>(root.step(t0, completes(1, "x", 5))), SizeIs(1))
      << "verdicts that do not exist";
  EXPECT_THAT(all<ignored>(root.step(t0, from(1, decided(1, barrier("x"))))), SizeIs(1))
      << "a verdict from below";
  EXPECT_THAT(all<ignored>(root.step(t0, from(1, closed{barrier("x"), {}, true, 0}))), SizeIs(1))
      << "nothing open";
  EXPECT_THAT(all<ignored>(root.step(t0, folded{3, {}, {}})), SizeIs(1)) << "no such fold";
}

}  // namespace
}  // namespace muster::testing
