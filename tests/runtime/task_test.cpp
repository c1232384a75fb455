#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/runtime/op.hpp>
#include <muster/runtime/operation_options.hpp>
#include <muster/runtime/run.hpp>
#include <muster/runtime/task.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

task<int> constant(int n) { co_return n; }

task<int> count_to(int n) {
  int count = 0;
  while (count < n) count += co_await constant(1);
  co_return count;
}

task<std::string> failing() {
  throw std::runtime_error("no way");
  co_return "never";
}

task<std::string> value_of(op<std::string> pending) { co_return co_await pending; }

TEST(Task, DoesNothingUntilItIsStarted) {
  bool started = false;
  auto body = [](bool& flag) -> task<void> {
    flag = true;
    co_return;
  };
  auto work = body(started);
  EXPECT_FALSE(started);
  run(std::move(work));
  EXPECT_TRUE(started);
}

TEST(Task, AwaitsAMillionTasksThatDoNotSuspendInAFlatStack) {
  EXPECT_EQ(run(count_to(1'000'000)), 1'000'000);
}

TEST(Task, PassesExceptionsUp) {
  auto outer = []() -> task<std::string> { co_return co_await failing(); };
  EXPECT_THROW(run(outer()), std::runtime_error);
}

TEST(Task, CatchesWhatAnAwaitedTaskThrew) {
  auto outer = []() -> task<std::string> {
    try {
      co_return co_await failing();
    } catch (const std::runtime_error& e) {
      co_return std::string("caught ") + e.what();
    }
  };
  EXPECT_EQ(run(outer()), "caught no way");
}

TEST(Task, ReturnsValuesThatCanOnlyBeMoved) {
  auto make = []() -> task<std::unique_ptr<int>> { co_return std::make_unique<int>(4); };
  EXPECT_EQ(*run(make()), 4);
}

TEST(Task, SaysSoWhenItIsEmpty) {
  auto work = constant(1);
  auto moved = std::move(work);
  EXPECT_THROW(run(std::move(work)), status_error);
  EXPECT_EQ(run(std::move(moved)), 1);
}

TEST(Task, DestroysItsLocalsWhenItIsDroppedWithoutAStart) {
  auto held = std::make_shared<int>(1);
  {
    auto dropped = [](std::shared_ptr<int>) -> task<void> { co_return; }(held);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(AwaitOp, GivesTheValueOrThrowsTheStatus) {
  EXPECT_EQ(run(value_of(op<std::string>::completed(std::string("x")))), "x");
  EXPECT_THROW(run(value_of(op<std::string>::completed(error(status_code::left, "gone")))),
               status_error);
}

TEST(AwaitOp, GivesTheResultWithoutThrowing) {
  auto body = []() -> task<status_code> {
    auto outcome = co_await op<int>::completed(error(status_code::left, "gone")).as_result();
    co_return outcome.why().code;
  };
  EXPECT_EQ(run(body()), status_code::left);
}

TEST(AwaitOp, ResumesOnTheExecutorThatWasCurrent) {
  run_loop loop;
  op_promise<int> promise;
  auto body = [](op<int> pending) -> task<std::thread::id> {
    co_await pending;
    co_return std::this_thread::get_id();
  };
  std::jthread other([&] { promise.complete(1); });
  EXPECT_EQ(run(loop, body(promise.get_op())), std::this_thread::get_id());
}

TEST(AwaitOp, NeverResumesACoroutineThatWasDestroyed) {
  run_loop loop;
  op_promise<int> promise;
  bool resumed = false;
  auto body = [](op<int> pending, bool& flag) -> task<void> {
    co_await pending;
    flag = true;
  };
  {
    auto handle = spawn_on(loop, body(promise.get_op(), resumed));
    loop.run_one();
    promise.complete(1);  // posted already, when the coroutine goes
  }
  while (loop.run_one()) {
  }
  EXPECT_FALSE(resumed);
}

TEST(AwaitOp, NeedsAnExecutor) {
  op_promise<std::string> promise;
  auto work = value_of(promise.get_op());
  work.start();
  ASSERT_TRUE(work.done());
  EXPECT_THROW(work.take(), status_error);
}

TEST(AwaitOp, RefusesASecondWaiter) {
  run_loop loop;
  op_promise<int> promise;
  auto shared = std::make_shared<op<int>>(promise.get_op());
  auto body = [](std::shared_ptr<op<int>> pending) -> task<int> { co_return co_await *pending; };
  status_code second{};
  auto first = spawn_on(loop, body(shared));
  auto other =
      spawn_on(loop, body(shared), [&](result<int> outcome) { second = outcome.why().code; });
  while (loop.run_one()) {
  }
  EXPECT_EQ(second, status_code::invalid_argument);
  EXPECT_FALSE(first.done());
}

TEST(AwaitOp, CanBeCancelledWhileItIsAwaited) {
  run_loop loop;
  op_promise<void> promise;
  promise.on_cancel([promise] { promise.complete(error(status_code::cancelled, "asked")); });
  op<void> pending = promise.get_op();
  loop.post([&] { pending.cancel(); });
  auto body = [](op<void>& awaited) -> task<status_code> {
    co_return (co_await awaited.as_result()).why().code;
  };
  auto work = body(pending);
  status_code seen{};
  auto handle =
      spawn_on(loop, std::move(work), [&](result<status_code> outcome) { seen = *outcome; });
  loop.run_until([&] { return handle.done(); });
  while (loop.run_one()) {
  }
  EXPECT_EQ(seen, status_code::cancelled);
}

// Every form that the documents show, with temporaries that g++ 12 must not destroy twice.
struct fake_host {
  op<std::string> broadcast(std::string text, operation_options options = {}) {
    return op<std::string>::completed(text + (options.hard == 5min ? " in 5 min" : ""));
  }
  op<void> barrier(std::string_view, operation_options = {}) { return op<void>::completed({}); }
};

task<std::string> call_forms(fake_host& host) {
  co_await host.barrier("data-ready", {.soft = 10s, .hard = 5min});
  co_await host.barrier("data-ready");
  auto both =
      co_await host.broadcast(std::string(100, 'a'), {.hard = 5min}) + co_await host.broadcast("b");
  auto pending = host.broadcast("kept");
  if ((co_await pending) != "kept") co_return "wrong";
  auto outcome = co_await host.broadcast("c", {.soft = 1s}).as_result();
  co_return both + outcome.value();
}

TEST(AwaitOp, WorksInEveryDocumentedCallForm) {
  fake_host host;
  std::string expected(100, 'a');
  expected += " in 5 minbc";
  EXPECT_EQ(run(call_forms(host)), expected);
}

}  // namespace
}  // namespace muster
