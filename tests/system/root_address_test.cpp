// Real processes that find each other by MUSTER_ROOT or MUSTER_HOSTS, without a launcher. Each is waited for with a bound
// and killed at the end of its test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>

#include <muster/tests/system/host_process.hpp>
#include <muster/tests/system/world_of_hosts.hpp>

namespace muster::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct RootAddress : ::testing::Test {
  std::unique_ptr<host_process> start(int rank, const std::string& what = "work",
                                      std::string job = "by-root") {
    auto text = [](int n) { return std::to_string(n); };
    return std::make_unique<host_process>(
        MEMBER_PROGRAM,
        std::vector<std::string>{"MUSTER_JOB=" + job, "MUSTER_RANK=" + text(rank),
                                 "MUSTER_WORLD_SIZE=" + text(world),
                                 "MUSTER_ROOT=127.0.0.1:" + text(port), "MUSTER_DEVICES=2",
                                 "MUSTER_JOIN_TIMEOUT=" + join_timeout, "MUSTER_LEASE=1s"},
        std::vector<std::string>{what});
  }
  int world = 4;
  const int port = free_port_pair();
  std::string join_timeout = "30s";
};

TEST_F(RootAddress, BringsProcessesTogetherThatThenDoEverythingAndLeave) {
  std::vector<std::unique_ptr<host_process>> hosts;
  for (int r : {3, 1, 0, 2}) hosts.push_back(start(r));
  for (auto& h : hosts) {
    EXPECT_EQ(h->exit_code(), 0) << h->text;
    EXPECT_THAT(h->text, AllOf(HasSubstr("heard 41 mean 0x1."), ::testing::Eq(hosts[0]->text)));
  }
}

/// Each has a loopback address of its own, and all the same port.
TEST_F(RootAddress, BringsProcessesTogetherByTheListOfAllHosts) {
  std::string all = "MUSTER_HOSTS=";
  for (int r = 0; r < world; ++r)
    all += (r == 0 ? "127.0.0." : ",127.0.0.") + std::to_string(r + 1) + ":" + std::to_string(port);
  std::vector<std::unique_ptr<host_process>> hosts;
  for (int r : {3, 1, 0, 2})
    hosts.push_back(std::make_unique<host_process>(
        MEMBER_PROGRAM,
        std::vector<std::string>{"MUSTER_JOB=by-list", "MUSTER_RANK=" + std::to_string(r), all,
                                 "MUSTER_DEVICES=2", "MUSTER_JOIN_TIMEOUT=" + join_timeout},
        std::vector<std::string>{"work"}));
  for (auto& h : hosts) {
    EXPECT_EQ(h->exit_code(), 0) << h->text;
    EXPECT_THAT(h->text, AllOf(HasSubstr("heard 41 mean 0x1."), ::testing::Eq(hosts[0]->text)));
  }
}

TEST_F(RootAddress, LetsARootComeLate) {
  world = 2;
  auto early = start(1);
  EXPECT_TRUE(early->reads("nobody answers at tcp://127.0.0.1:" + std::to_string(port)))
      << early->text;
  auto root = start(0);
  EXPECT_EQ(root->exit_code(), 0) << root->text;
  EXPECT_EQ(early->exit_code(), 0) << early->text;
}

TEST_F(RootAddress, SaysWhoIsMissingAndThenFailsTheJoin) {
  world = 3;
  join_timeout = "3s";
  auto root = start(0), two = start(2);
  for (auto* h : {&root, &two}) {
    EXPECT_EQ((*h)->exit_code(), exit_code(status_code::deadline_exceeded)) << (*h)->text;
    EXPECT_THAT((*h)->text, AllOf(HasSubstr("2 of 3 have arrived"), HasSubstr("rank 1")))
        << (*h)->text;
  }
}

TEST_F(RootAddress, RefusesAHostOfAnotherJobAndSaysBoth) {
  world = 2;
  join_timeout = "3s";
  auto root = start(0), stranger = start(1, "work", "another-job");
  EXPECT_EQ(stranger->exit_code(), exit_code(status_code::refused)) << stranger->text;
  EXPECT_THAT(stranger->text, AllOf(HasSubstr("by-root"), HasSubstr("another-job")));
}

TEST_F(RootAddress, FencesWhoeverCannotLearnAVerdictBecauseTheRootDied) {
  world = 3;
  std::vector<std::unique_ptr<host_process>> hosts;
  for (int r = 0; r < world; ++r) hosts.push_back(start(r, "lose_the_root"));
  for (auto& h : hosts) EXPECT_TRUE(h->reads("started")) << h->text;
  hosts[0]->stop_with(SIGKILL);
  for (int r : {1, 2})
    EXPECT_EQ(hosts[static_cast<std::size_t>(r)]->exit_code(), exit_code(status_code::unknown));
  EXPECT_EQ(hosts[0]->exit_code(), 128 + SIGKILL);
}

}  // namespace
}  // namespace muster::testing
