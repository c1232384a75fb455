#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/tests/shells/hosts_by_hand.hpp>

namespace muster::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

TEST(AHostActor, JoinsAWorldOfOneWithoutAnybodyElse) {
  hosts_by_hand world(1);
  world.start(0);
  auto joined = world.join(0);
  world.pump();
  ASSERT_TRUE(joined->has_value());
  EXPECT_EQ((*joined)->value().generation, generation{1});
  EXPECT_EQ((*joined)->value().members[0].control_endpoint, "fake:0");
}

TEST(AHostActor, GetsTheSameTableAsEveryOtherHost) {
  hosts_by_hand world(3);
  for (std::uint32_t r : {2u, 0u, 1u}) world.start(r);
  auto one = world.join(1), two = world.join(2), root = world.join(0);
  world.pump();
  ASSERT_TRUE(*root && *one && *two);
  EXPECT_EQ((*root)->value(), (*one)->value());
  EXPECT_EQ((*root)->value(), (*two)->value());
  EXPECT_EQ((*root)->value().device_count(), 3u);
}

TEST(AHostActor, WaitsInTheJoinForARankThatComesLate) {
  hosts_by_hand world(2);
  world.start(1);
  auto early = world.join(1);
  world.pass(3s);
  ASSERT_FALSE(*early);
  EXPECT_THAT(world.said_joining,
              Contains(AllOf(HasSubstr("fake:0"), HasSubstr("connection refused"))));
  world.start(0);
  auto late = world.join(0);
  world.pump();
  ASSERT_TRUE(*early && *late);
  EXPECT_EQ((*early)->value(), (*late)->value());
}

TEST(AHostActor, SaysWhichRanksAreMissingFromTheJoin) {
  hosts_by_hand world(3);
  for (std::uint32_t r : {0u, 2u}) world.start(r), world.join(r);
  world.pass(2s);
  EXPECT_THAT(world.said_joining, Contains(AllOf(HasSubstr("2 of 3"), HasSubstr("rank 1"))));
}

TEST(AHostActor, FailsTheJoinEverywhereWhenARankNeverComes) {
  hosts_by_hand world(3);
  world.start(0);
  world.start(2);
  auto root = world.join(0), two = world.join(2);
  world.pass(62s);
  ASSERT_TRUE(*root && *two);
  EXPECT_EQ((*root)->why().code, status_code::deadline_exceeded);
  EXPECT_EQ((*two)->why().missing(), rank_set{rank{1}});
}

TEST(AHostActor, FailsTheJoinAtItsTimeOutWhenTheRootNeverAnswers) {
  hosts_by_hand world(2);
  world.start(1);
  auto joined = world.join(1);
  world.pass(61s);
  ASSERT_TRUE(*joined);
  EXPECT_EQ((*joined)->why().code, status_code::deadline_exceeded);
  EXPECT_THAT((*joined)->why().text, HasSubstr("nobody answers at fake:0"));
}

TEST(AHostActor, RefusesAnOperationBeforeTheJoin) {
  hosts_by_hand world(2);
  world.start(1);
  auto refused = world.call(1, barrier_named("x"));
  ASSERT_TRUE(*refused);
  EXPECT_EQ((*refused)->outcome.code, status_code::unavailable);
}

TEST(HostActors, ReleaseABarrierWhenAllHaveArrived) {
  for (std::uint32_t fan_out : {2u, 16u}) {
    hosts_by_hand world(7, fan_out);
    world.join_all();
    std::vector<hosts_by_hand::pending> calls;
    for (std::uint32_t r = 0; r < 7; ++r) {
      for (auto& earlier : calls) EXPECT_FALSE(*earlier);
      calls.push_back(world.call(r, barrier_named("x")));
    }
    for (auto& c : calls) EXPECT_TRUE(*c && (*c)->outcome.ok());
  }
}

TEST(HostActors, BroadcastTheSourcesBytes) {
  hosts_by_hand world(3);
  world.join_all();
  signature said;
  said.kind = op_kind::broadcast_one_to_all;
  said.source = rank{1};
  contribution given{{}, {payload::copy_of("exact")}};
  auto zero = world.call(0, said), two = world.call(2, said), one = world.call(1, said, given);
  for (auto& c : {zero, one, two}) {
    ASSERT_TRUE(*c);
    EXPECT_EQ((*c)->result, given);
  }
}

TEST(HostActors, FoldOnTheirDevices) {
  hosts_by_hand world(2);
  world.join_all();
  signature said;
  said.kind = op_kind::all_reduce;
  said.leaf_count = 2;
  contribution left{{{0, 1}}, {payload::copy_of("l")}}, right{{{1, 2}}, {payload::copy_of("r")}};
  auto a = world.call(0, said, left), b = world.call(1, said, right);
  ASSERT_TRUE(*a && *b);
  EXPECT_EQ((*a)->result.frames.at(0).text(), "2") << "the root has folded two parts";
  EXPECT_EQ((*a)->result, (*b)->result);
}

TEST(HostActors, FailAFoldEverywhereWhenTheFoldingDeviceHasEnded) {
  hosts_by_hand world(2);
  world.join_all();
  world.kill_device(0);
  signature said;
  said.kind = op_kind::all_reduce;
  said.leaf_count = 2;
  auto a = world.call(0, said, contribution{{{0, 1}}, {payload::copy_of("l")}});
  auto b = world.call(1, said, contribution{{{1, 2}}, {payload::copy_of("r")}});
  ASSERT_TRUE(*a && *b);
  EXPECT_EQ((*b)->outcome.code, status_code::device_error);
  EXPECT_EQ((*a)->outcome, (*b)->outcome);
}

TEST(HostActors, NameTheMissingRankAtTheHardDeadline) {
  hosts_by_hand world(3);
  world.join_all();
  auto a = world.call(0, barrier_named("x"), contribution{}, {1s, 5s});
  auto b = world.call(1, barrier_named("x"), contribution{}, {1s, 5s});
  world.pass(6s);
  ASSERT_TRUE(*a && *b);
  EXPECT_EQ((*a)->outcome.missing(), rank_set{rank{2}});
  EXPECT_EQ((*a)->outcome, (*b)->outcome);
  EXPECT_EQ(world.said_stalled.front().arrived, 2u);
}

TEST(HostActors, GoOnAfterALinkWasMadeAgain) {
  hosts_by_hand world(2);
  world.join_all();
  world.over[1]->cut(rank{0});
  auto a = world.call(0, barrier_named("x"));
  world.over[0]->cut(rank{1});
  auto b = world.call(1, barrier_named("x"));
  world.pass(1s);
  ASSERT_TRUE(*a && *b);
  EXPECT_TRUE((*a)->outcome.ok());
  EXPECT_TRUE((*b)->outcome.ok());
}

TEST(HostActors, KeepWhatAFullLaneDoesNotTakeAndSendItInOrderLater) {
  hosts_by_hand world(2);
  world.join_all();
  world.over[1]->blocked.insert(rank{0});
  std::vector<hosts_by_hand::pending> calls;
  for (auto name : {"a", "b", "c"}) {
    calls.push_back(world.call(0, barrier_named(name)));
    calls.push_back(world.call(1, barrier_named(name)));
  }
  for (auto& c : calls) EXPECT_FALSE(*c);
  world.over[1]->unblock(rank{0});
  world.pump();
  for (auto& c : calls) EXPECT_TRUE(*c && (*c)->outcome.ok());
}

TEST(HostActors, HangUpLinksOfTheJoinThatTheTreeDoesNotNeed) {
  hosts_by_hand world(7, 2);
  world.join_all();
  EXPECT_EQ(world.over[6]->links.size(), 2u) << "the join's verdict is not acknowledged yet";
  world.pass(limits::lease_default + 1s);
  EXPECT_EQ(world.over[0]->links.size(), 2u);
  EXPECT_EQ(world.over[6]->links.size(), 1u);
}

TEST(HostActors, CancelForEverybody) {
  hosts_by_hand world(2);
  world.join_all();
  auto a = world.call(0, barrier_named("x"));
  world.tell(0, cancel_operation{world.last_ticket, error(status_code::cancelled, "enough")});
  auto b = world.call(1, barrier_named("x"));
  ASSERT_TRUE(*a && *b);
  EXPECT_EQ((*a)->outcome.code, status_code::cancelled);
  EXPECT_EQ((*b)->outcome, (*a)->outcome);
}

TEST(HostActors, FailAtOnceWhoeverWaitsForARankThatLeaves) {
  hosts_by_hand world(2);
  world.join_all();
  auto waiting = world.call(0, barrier_named("x"));
  signature leave;
  leave.kind = op_kind::leave;
  world.call(1, leave);
  ASSERT_TRUE(*waiting) << "no time has passed";
  EXPECT_EQ((*waiting)->outcome.code, status_code::left);
}

TEST(HostActors, LeaveTogetherAndThenCloseAtOnce) {
  hosts_by_hand world(3);
  world.join_all();
  signature leave;
  leave.kind = op_kind::leave;
  std::vector<hosts_by_hand::pending> calls;
  for (std::uint32_t r = 0; r < 3; ++r) calls.push_back(world.call(r, leave));
  for (auto& c : calls) ASSERT_TRUE(*c && (*c)->outcome.ok());
  for (std::uint32_t r = 0; r < 3; ++r) {
    std::shared_ptr<transport> back;
    world.tell(r, shut_down{[&](auto over) { back = std::move(over); }});
    EXPECT_NE(back, nullptr) << "rank " << r << " still waits";
  }
}

TEST(AHostActor, EndsEveryPendingCallWhenItIsClosed) {
  hosts_by_hand world(2);
  world.join_all();
  auto waiting = world.call(0, barrier_named("x"));
  std::shared_ptr<transport> back;
  world.tell(0, shut_down{[&](auto over) { back = std::move(over); }});
  ASSERT_TRUE(*waiting);
  EXPECT_EQ((*waiting)->outcome.code, status_code::unavailable);
  EXPECT_NE(back, nullptr);
}

TEST(AHostActor, IsFencedWhenItCannotLearnTheVerdict) {
  hosts_by_hand world(2);
  world.join_all();
  world.kill(0);
  auto waiting = world.call(1, barrier_named("x"), contribution{}, {1s, 5s});
  world.pass(11s);
  ASSERT_TRUE(*waiting);
  EXPECT_EQ((*waiting)->outcome.code, status_code::unknown);
  EXPECT_EQ(world.said_fenced.size(), 1u);
  auto later = world.call(1, barrier_named("y"));
  ASSERT_TRUE(*later);
  EXPECT_EQ((*later)->outcome.code, status_code::unknown);
}

}  // namespace
}  // namespace muster::testing
