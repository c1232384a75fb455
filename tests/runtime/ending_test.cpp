#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/runtime/launcher/ending.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr ending well{};

TEST(Ending, IsSaidAsShellsSayIt) {
  EXPECT_EQ(shell_code({3, 0}), 3);
  EXPECT_EQ(shell_code({0, SIGSEGV}), 139);
  EXPECT_EQ(to_string(ending{3, 0}), "exit code 3");
  EXPECT_EQ(to_string(ending{67, 0}), "exit code 67 (deadline_exceeded)");
  EXPECT_EQ(to_string(ending{0, SIGKILL}), "signal 9 (SIGKILL)");
}

TEST(RunOutcome, IsWellWhenAllHostsEndWell) {
  run_outcome outcome(2);
  outcome.on_end(rank{1}, well);
  outcome.on_end(rank{0}, well);
  EXPECT_EQ(outcome.ended(), 2u);
  EXPECT_EQ(outcome.exit_code(), 0);
  EXPECT_EQ(outcome.summary(1500ms), "all 2 hosts ended well after 1.5 s");
}

TEST(RunOutcome, IsTheFirstFailure) {
  run_outcome outcome(3);
  outcome.on_end(rank{0}, well);
  outcome.on_end(rank{2}, {7, 0});
  outcome.on_end(rank{1}, {8, 0});
  EXPECT_EQ(outcome.exit_code(), 7);
  EXPECT_EQ(outcome.summary(1s), "host 2 ended with exit code 7, 2 of 3 hosts failed after 1.0 s");
}

TEST(RunOutcome, DoesNotCountThoseThatWereStopped) {
  run_outcome outcome(2);
  outcome.on_end(rank{1}, {7, 0});
  outcome.on_stop();
  outcome.on_end(rank{0}, {0, SIGTERM});
  EXPECT_EQ(outcome.summary(1s), "host 1 ended with exit code 7 after 1.0 s");
}

TEST(RunOutcome, IsWellWhenAllEndWellAfterASignal) {
  run_outcome outcome(1);
  outcome.on_signal(SIGTERM);
  outcome.on_end(rank{0}, well);
  EXPECT_EQ(outcome.exit_code(), 0);
  EXPECT_EQ(outcome.summary(1s), "SIGTERM: the host ended well after 1.0 s");
}

TEST(RunOutcome, IsTheHostsOwnCodeAfterASignal) {
  run_outcome outcome(2);
  outcome.on_signal(SIGINT);
  outcome.on_end(rank{0}, {5, 0});
  outcome.on_end(rank{1}, {0, SIGINT});
  EXPECT_EQ(outcome.exit_code(), 5);
}

TEST(RunOutcome, IsTheSignalsWhenItsHostsHadToBeKilled) {
  run_outcome outcome(1);
  outcome.on_signal(SIGINT);
  outcome.on_signal(SIGTERM);
  outcome.on_kill();
  outcome.on_end(rank{0}, {0, SIGKILL});
  EXPECT_EQ(outcome.exit_code(), 128 + SIGINT);
  EXPECT_EQ(outcome.summary(1s), "SIGINT: 1 host killed after 1.0 s");
}

TEST(RunOutcome, IsAnOrdersCodeWhateverTheHostsDoThen) {
  run_outcome outcome(1);
  outcome.on_order(124, "stopped at the time-out of 1 s");
  outcome.on_end(rank{0}, {0, SIGTERM});
  EXPECT_EQ(outcome.exit_code(), 124);
  EXPECT_EQ(outcome.summary(1s), "stopped at the time-out of 1 s after 1.0 s");
}

TEST(RunOutcome, IsTheFailureThatCameBeforeAnOrder) {
  run_outcome outcome(2);
  outcome.on_end(rank{0}, {3, 0});
  outcome.on_order(124, "time-out");
  EXPECT_EQ(outcome.exit_code(), 3);
}

}  // namespace
}  // namespace muster
