#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/runtime/executor.hpp>

namespace muster {
namespace {

using testing::ElementsAre;

TEST(RunLoop, RunsWorkInTheOrderOfPosting) {
  run_loop loop;
  std::vector<int> seen;
  loop.post([&] { seen.push_back(1); });
  loop.post([&] { seen.push_back(2); });
  loop.run_until([&] { return seen.size() == 2; });
  EXPECT_THAT(seen, ElementsAre(1, 2));
}

TEST(RunLoop, AsksWhetherItIsDoneAfterEachPieceOfWork) {
  run_loop loop;
  int ran = 0;
  for (int i = 0; i < 3; ++i) loop.post([&] { ++ran; });
  loop.run_until([&] { return ran == 1; });
  EXPECT_EQ(ran, 1);
}

TEST(RunLoop, NeverRunsWorkBeforePostReturns) {
  run_loop loop;
  std::vector<int> seen;
  loop.post([&] {
    loop.post([&] { seen.push_back(2); });
    seen.push_back(1);
  });
  loop.run_until([&] { return seen.size() == 2; });
  EXPECT_THAT(seen, ElementsAre(1, 2));
}

TEST(RunLoop, SleepsUntilAnotherThreadPosts) {
  run_loop loop;
  bool done = false;
  std::jthread other([&] { loop.post([&] { done = true; }); });
  loop.run_until([&] { return done; });
  EXPECT_TRUE(done);
}

TEST(RunLoop, TakesWorkFromManyThreads) {
  run_loop loop;
  int ran = 0;
  std::vector<std::jthread> others;
  for (int i = 0; i < 8; ++i)
    others.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) loop.post([&] { ++ran; });
    });
  loop.run_until([&] { return ran == 8000; });
  EXPECT_FALSE(loop.run_one());
}

TEST(RunLoop, IsCurrentAndForbidsBlockingWhileItRunsWork) {
  run_loop loop;
  executor* current = nullptr;
  bool allowed = true;
  loop.post([&] {
    current = current_executor();
    allowed = blocking_allowed();
  });
  loop.run_one();
  EXPECT_EQ(current, &loop);
  EXPECT_FALSE(allowed);
  EXPECT_EQ(current_executor(), nullptr);
  EXPECT_TRUE(blocking_allowed());
}

TEST(RunLoop, RestoresTheThreadWhenWorkThrows) {
  run_loop loop;
  loop.post([] { throw 1; });
  EXPECT_ANY_THROW(loop.run_one());
  EXPECT_EQ(current_executor(), nullptr);
  EXPECT_TRUE(blocking_allowed());
}

TEST(NoBlockingScope, Nests) {
  no_blocking_scope outer;
  { no_blocking_scope inner; }
  EXPECT_FALSE(blocking_allowed());
}

}  // namespace
}  // namespace muster
