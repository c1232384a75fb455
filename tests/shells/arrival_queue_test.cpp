#include <muster/actors/shells/arrival_queue.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;
constexpr time_point t0{1h};

arrive ordered(std::uint64_t number, duration hard = 10s) {
  arrive a{ticket{number}, {}, {1s, hard}, {}};
  a.said.kind = op_kind::all_reduce;
  return a;
}
arrive named(std::uint64_t number) {
  arrive a{ticket{number}, {}, {1s, 10s}, {}};
  a.said.kind = op_kind::barrier;
  return a;
}

TEST(ArrivalQueue, LetsAPreparedCallPassAtOnce) {
  arrival_queue q;
  q.call(t0, ordered(1), true);
  EXPECT_EQ(q.next(t0)->arrive.ticket, ticket{1});
  EXPECT_FALSE(q.next(t0));
}

TEST(ArrivalQueue, HoldsUpOrderedCallsBehindOneThatIsBeingPrepared) {
  arrival_queue q;
  q.call(t0, ordered(1), false);
  q.call(t0, ordered(2), true);
  EXPECT_FALSE(q.next(t0));
  EXPECT_TRUE(q.prepare(ticket{1}, {}, {}));
  EXPECT_EQ(q.next(t0)->arrive.ticket, ticket{1});
  EXPECT_EQ(q.next(t0)->arrive.ticket, ticket{2});
}

TEST(ArrivalQueue, LetsNamedCallsPassOrderedOnes) {
  arrival_queue q;
  q.call(t0, ordered(1), false);
  q.call(t0, named(2), true);
  EXPECT_EQ(q.next(t0)->arrive.ticket, ticket{2});
}

TEST(ArrivalQueue, CountsThePreparationAgainstTheDeadlines) {
  arrival_queue q;
  q.call(t0, ordered(1), false);
  q.prepare(ticket{1}, {}, {});
  EXPECT_EQ(q.next(t0 + 4s)->arrive.remaining, (deadlines{0s, 6s}));
}

TEST(ArrivalQueue, LetsACallThatIsNeverPreparedArriveAsFailedAtItsHardDeadline) {
  arrival_queue q;
  q.call(t0, ordered(1), false);
  EXPECT_EQ(q.deadline(), t0 + 10s);
  auto late = q.next(t0 + 10s);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->failure.code, status_code::device_error);
  EXPECT_FALSE(q.prepare(ticket{1}, {}, {})) << "what comes later is not wanted any more";
}

TEST(ArrivalQueue, EndsACallAtItsDeadlineThatStandsBehindAnother) {
  arrival_queue q;
  q.call(t0, ordered(1, 30s), false);
  q.call(t0, ordered(2, 2s), true);
  EXPECT_EQ(q.deadline(), t0 + 2s);
  auto over = q.overdue(t0 + 2s);
  ASSERT_EQ(over.size(), 1u);
  EXPECT_EQ(over[0].first, ticket{2});
  EXPECT_EQ(over[0].second.code, status_code::deadline_exceeded);
  EXPECT_TRUE(q.overdue(t0 + 3s).empty()) << "told once";
  q.prepare(ticket{1}, {}, {});
  q.next(t0 + 4s);
  EXPECT_EQ(q.next(t0 + 4s)->failure.code, status_code::deadline_exceeded)
      << "it still takes its place, as failed";
}

TEST(ArrivalQueue, LetsACancelledCallTakeItsPlaceAsFailed) {
  arrival_queue q;
  q.call(t0, ordered(1), false);
  EXPECT_TRUE(q.fail(ticket{1}, error(status_code::cancelled, "enough")));
  EXPECT_EQ(q.next(t0)->failure.code, status_code::cancelled);
  EXPECT_FALSE(q.fail(ticket{1}, error(status_code::cancelled, "enough")));
}

}  // namespace
}  // namespace muster
