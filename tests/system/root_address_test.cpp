// Real processes that find each other by MUSTER_ROOT, without a launcher. Each is waited for with a bound
// and killed at the end of its test.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <memory>

#include <muster/tests/system/world_of_hosts.hpp>

namespace muster::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int patience_ms = 60'000;

/// One host, its output and errors in one pipe.
class member_process {
 public:
  member_process(std::vector<std::string> variables, std::string what) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
    output_ = ends[0];
    std::vector<char*> env, argv;
    for (auto& v : variables) env.push_back(v.data());
    std::string program = MEMBER_PROGRAM;
    argv = {program.data(), what.data(), nullptr};
    env.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], 1);
    posix_spawn_file_actions_adddup2(&files, ends[1], 2);
    if (posix_spawn(&pid_, program.c_str(), &files, nullptr, argv.data(), env.data()) != 0)
      pid_ = -1;
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
  }
  ~member_process() {
    if (pid_ > 0) kill(pid_, SIGKILL), waitpid(pid_, nullptr, 0);
    close(output_);
  }
  member_process(const member_process&) = delete;
  member_process& operator=(const member_process&) = delete;

  /// Reads until the output holds `wanted`, or to its end where that is empty.
  bool reads(const std::string& wanted = {}) {
    while (wanted.empty() || text.find(wanted) == std::string::npos) {
      pollfd one{output_, POLLIN, 0};
      std::array<char, 4096> some;
      if (poll(&one, 1, patience_ms) != 1) return false;
      const auto n = read(output_, some.data(), some.size());
      if (n <= 0) return wanted.empty();
      text.append(some.data(), static_cast<std::size_t>(n));
    }
    return true;
  }
  /// 128 + signal where one ended it; -1 when it doesn't end.
  int exit_code() {
    if (!reads()) return -1;
    const int handle = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
    pollfd one{handle, POLLIN, 0};
    const bool ended = poll(&one, 1, patience_ms) == 1;
    close(handle);
    int how = 0;
    if (!ended || waitpid(std::exchange(pid_, -1), &how, 0) < 0) return -1;
    return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
  }
  void stop_with(int signal) const { kill(pid_, signal); }

  std::string text;

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

struct RootAddress : ::testing::Test {
  std::unique_ptr<member_process> start(int rank, const std::string& what = "work",
                                        std::string job = "by-root") {
    auto text = [](int n) { return std::to_string(n); };
    return std::make_unique<member_process>(
        std::vector<std::string>{"MUSTER_JOB=" + job, "MUSTER_RANK=" + text(rank),
                                 "MUSTER_WORLD_SIZE=" + text(world),
                                 "MUSTER_ROOT=127.0.0.1:" + text(port), "MUSTER_DEVICES=2",
                                 "MUSTER_JOIN_TIMEOUT=" + join_timeout, "MUSTER_LEASE=1s"},
        what);
  }
  int world = 4;
  const int port = free_port_pair();
  std::string join_timeout = "30s";
};

TEST_F(RootAddress, BringsProcessesTogetherThatThenDoEverythingAndLeave) {
  std::vector<std::unique_ptr<member_process>> hosts;
  for (int r : {3, 1, 0, 2}) hosts.push_back(start(r));
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
  std::vector<std::unique_ptr<member_process>> hosts;
  for (int r = 0; r < world; ++r) hosts.push_back(start(r, "lose_the_root"));
  for (auto& h : hosts) EXPECT_TRUE(h->reads("started")) << h->text;
  hosts[0]->stop_with(SIGKILL);
  for (int r : {1, 2})
    EXPECT_EQ(hosts[static_cast<std::size_t>(r)]->exit_code(), exit_code(status_code::unknown));
  EXPECT_EQ(hosts[0]->exit_code(), 128 + SIGKILL);
}

}  // namespace
}  // namespace muster::testing
