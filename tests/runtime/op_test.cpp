#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/runtime/op.hpp>

namespace muster {
namespace {

const status failure = error(status_code::deadline_exceeded, "barrier 'x' is late");

TEST(Op, GivesTheOutcomeThatWasThereBefore) { EXPECT_EQ(op<int>::completed(3).get(), 3); }

TEST(Op, WaitsForTheOutcomeOfAnotherThread) {
  op_promise<std::string> promise;
  auto pending = promise.get_op();
  std::jthread other([&] { promise.complete(std::string("done")); });
  EXPECT_EQ(pending.get(), "done");
}

TEST(Op, ReturnsAFailureFromWaitAndThrowsItFromGet) {
  EXPECT_EQ(op<int>::completed(failure).wait().why(), failure);
  try {
    op<int>::completed(failure).get();
    FAIL() << "get() returned";
  } catch (const status_error& e) {
    EXPECT_EQ(e.why(), failure);
  }
}

TEST(Op, KeepsTheFirstOutcome) {
  op_promise<int> promise;
  EXPECT_TRUE(promise.complete(1));
  EXPECT_FALSE(promise.complete(2));
  EXPECT_EQ(promise.get_op().get(), 1);
}

TEST(Op, RefusesToGiveItsOutcomeTwice) {
  auto pending = op<int>::completed(1);
  EXPECT_TRUE(pending.wait().ok());
  EXPECT_EQ(pending.wait().why().code, status_code::invalid_argument);
}

TEST(Op, WouldBlockWhereBlockingIsNotAllowedAndStaysAsItWas) {
  op_promise<int> promise;
  auto pending = promise.get_op();
  {
    no_blocking_scope guard;
    EXPECT_EQ(pending.wait().why().code, status_code::would_block);
    EXPECT_THROW(pending.get(), status_error);
  }
  promise.complete(1);
  EXPECT_EQ(pending.get(), 1);
}

TEST(Op, GivesAReadyOutcomeEvenWhereBlockingIsNotAllowed) {
  no_blocking_scope guard;
  EXPECT_EQ(op<int>::completed(1).get(), 1);
}

TEST(Op, EndsWithUnavailableWhenItsPromiseIsDropped) {
  std::optional<op_promise<int>> promise(std::in_place);
  auto pending = promise->get_op();
  auto copy = std::make_optional(*promise);
  promise.reset();
  EXPECT_FALSE(pending.done());
  copy.reset();
  EXPECT_EQ(pending.wait().why().code, status_code::unavailable);
}

TEST(Op, DetachesWhenItIsDropped) {
  op_promise<std::shared_ptr<int>> promise;
  auto value = std::make_shared<int>(1);
  { auto dropped = promise.get_op(); }
  EXPECT_TRUE(promise.complete(value));
  promise = {};
  EXPECT_EQ(value.use_count(), 1);
}

TEST(Op, SaysSoWhenItIsEmpty) {
  op<int> pending;
  EXPECT_FALSE(pending.valid());
  EXPECT_THROW(pending.cancel(), status_error);
}

TEST(OpCancel, CallsTheHookUntilTheOutcomeIsThere) {
  op_promise<int> promise;
  int asked = 0;
  promise.on_cancel([&] { ++asked; });
  auto pending = promise.get_op();
  pending.cancel();
  promise.complete(1);
  pending.cancel();
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(pending.get(), 1) << "cancel() only asks, and may lose";
}

TEST(OpCancel, MayCompleteFromTheHook) {
  op_promise<int> promise;
  promise.on_cancel([promise] { promise.complete(error(status_code::cancelled, "asked")); });
  auto pending = promise.get_op();
  pending.cancel();
  EXPECT_EQ(pending.wait().why().code, status_code::cancelled);
}

TEST(OpThen, RunsOnTheExecutorAndNotOnTheCompletingThread) {
  run_loop loop;
  op_promise<int> promise;
  std::optional<int> seen;
  std::thread::id where;
  promise.get_op().then(loop, [&](result<int> outcome) {
    seen = *outcome;
    where = std::this_thread::get_id();
  });
  std::jthread([&] { promise.complete(5); }).join();
  EXPECT_FALSE(seen);
  loop.run_until([&] { return seen.has_value(); });
  EXPECT_EQ(seen, 5);
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(OpThen, RunsLaterEvenWhenTheOutcomeIsThere) {
  run_loop loop;
  std::optional<status_code> seen;
  op<int>::completed(failure).then(loop, [&](result<int> outcome) { seen = outcome.why().code; });
  EXPECT_FALSE(seen);
  loop.run_one();
  EXPECT_EQ(seen, status_code::deadline_exceeded);
}

TEST(OpThen, TakesFunctionsThatCanOnlyBeMoved) {
  run_loop loop;
  int seen = 0;
  op<int>::completed(2).then(loop, [&, three = std::make_unique<int>(3)](result<int> outcome) {
    seen = *outcome * *three;
  });
  loop.run_one();
  EXPECT_EQ(seen, 6);
}

TEST(OpThen, DropsItsFunctionWithThePendingOperation) {
  run_loop loop;
  auto held = std::make_shared<int>(1);
  std::optional<op_promise<int>> promise(std::in_place);
  promise->get_op().then(loop, [held](result<int>) {});
  promise.reset();
  EXPECT_EQ(held.use_count(), 2) << "broken: its end is on its way";
  loop.run_one();
  EXPECT_EQ(held.use_count(), 1);
}

struct scripted_driver : blocking_driver {
  op_promise<int> promise;
  int steps_left = 0;
  status drive_until(const std::function<bool()>& done) override {
    while (!done()) {
      if (steps_left == 0) return error(status_code::unavailable, "nothing left to happen");
      if (--steps_left == 0) promise.complete(9);
    }
    return {};
  }
};

TEST(OpOfASimulation, DrivesItUntilTheOutcomeIsThere) {
  auto driver = std::make_shared<scripted_driver>();
  driver->steps_left = 3;
  driver->promise.drive_with(driver);
  EXPECT_EQ(driver->promise.get_op().get(), 9);
}

TEST(OpOfASimulation, SaysWhyWhenNothingIsLeftToHappen) {
  auto driver = std::make_shared<scripted_driver>();
  driver->promise.drive_with(driver);
  EXPECT_EQ(driver->promise.get_op().wait().why().text, "nothing left to happen");
}

TEST(OpOfASimulation, OutlivesIt) {
  op_promise<int> promise;
  promise.drive_with(std::make_shared<scripted_driver>());
  EXPECT_EQ(promise.get_op().wait().why().code, status_code::unavailable);
}

}  // namespace
}  // namespace muster
