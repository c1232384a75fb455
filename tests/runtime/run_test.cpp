#include <memory>
#include <optional>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/runtime/op.hpp>
#include <muster/runtime/run.hpp>

namespace muster {
namespace {

task<int> plus_one(op<int> pending) { co_return co_await pending + 1; }

void drain(run_loop& loop) {
  while (loop.run_one()) {
  }
}

TEST(Run, IsRefusedWhereBlockingIsNotAllowed) {
  no_blocking_scope guard;
  EXPECT_THROW(run(plus_one(op<int>::completed(1))), status_error);
}

TEST(Run, TreatsTheTaskAsAContinuation) {
  auto body = []() -> task<status_code> {
    op_promise<int> promise;
    co_return promise.get_op().wait().why().code;
  };
  EXPECT_EQ(run(body()), status_code::would_block);
}

TEST(SpawnOn, StartsLaterAndReportsTheEnd) {
  run_loop loop;
  std::optional<int> seen;
  auto handle = spawn_on(loop, plus_one(op<int>::completed(1)),
                         [&](result<int> outcome) { seen = *outcome; });
  EXPECT_FALSE(handle.done());
  drain(loop);
  EXPECT_TRUE(handle.done());
  EXPECT_EQ(seen, 2);
}

TEST(SpawnOn, LetsTheReportDropTheHandle) {
  run_loop loop;
  spawned handle;
  handle = spawn_on(loop, plus_one(op<int>::completed(1)), [&](result<int>) { handle = {}; });
  drain(loop);
  EXPECT_FALSE(handle.done());
}

TEST(SpawnOn, NeverStartsWhatWasDroppedBefore) {
  run_loop loop;
  bool reported = false;
  {
    auto dropped =
        spawn_on(loop, plus_one(op<int>::completed(1)), [&](result<int>) { reported = true; });
  }
  drain(loop);
  EXPECT_FALSE(reported);
}

TEST(SpawnOn, DestroysASuspendedTaskWithItsHandle) {
  run_loop loop;
  op_promise<int> promise;
  auto held = std::make_shared<int>(1);
  auto body = [](op<int> pending, std::shared_ptr<int>) -> task<void> { co_await pending; };
  {
    auto handle = spawn_on(loop, body(promise.get_op(), held));
    drain(loop);
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(SpawnOn, TurnsExceptionsIntoStatuses) {
  run_loop loop;
  std::vector<status> seen;
  auto note = [&](result<void> outcome) { seen.push_back(outcome.why()); };
  auto first = spawn_on(
      loop,
      []() -> task<void> {
        throw std::runtime_error("broken");
        co_return;
      }(),
      note);
  auto second = spawn_on(
      loop,
      []() -> task<void> {
        throw 1;
        co_return;
      }(),
      note);
  auto third = spawn_on(
      loop,
      []() -> task<void> {
        throw status_error(error(status_code::left, "gone"));
        co_return;
      }(),
      note);
  drain(loop);
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0], error(status_code::aborted, "the task threw: broken"));
  EXPECT_EQ(seen[1].code, status_code::aborted);
  EXPECT_EQ(seen[2], error(status_code::left, "gone"));
}

TEST(SpawnOn, RunsManyTasksSideBySide) {
  run_loop loop;
  op_promise<int> first, second;
  std::vector<int> order;
  auto note = [&](result<int> outcome) { order.push_back(*outcome); };
  auto a = spawn_on(loop, plus_one(first.get_op()), note);
  auto b = spawn_on(loop, plus_one(second.get_op()), note);
  drain(loop);
  second.complete(20);
  first.complete(10);
  drain(loop);
  EXPECT_THAT(order, testing::ElementsAre(21, 11));
}

}  // namespace
}  // namespace muster
