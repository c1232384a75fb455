#include <muster/tests/system/host_process.hpp>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace muster::testing {
namespace {

constexpr int patience_ms = 60'000;

/// What tells a sanitizer in the program how to behave, if this test was told so.
std::vector<std::string> sanitizer_options() {
  std::vector<std::string> out;
  for (const std::string name : {"ASAN", "LSAN", "UBSAN", "TSAN"})
    if (const char* value = std::getenv((name + "_OPTIONS").c_str()))
      out.push_back(name + "_OPTIONS=" + value);
  return out;
}

}  // namespace

host_process::host_process(std::string program, std::vector<std::string> variables,
                           std::vector<std::string> arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
  output_ = ends[0];
  std::vector<char*> env, argv{program.data()};
  for (auto& v : sanitizer_options()) variables.push_back(v);
  for (auto& v : variables) env.push_back(v.data());
  for (auto& a : arguments) argv.push_back(a.data());
  env.push_back(nullptr);
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], 1);
  posix_spawn_file_actions_adddup2(&files, ends[1], 2);
  if (posix_spawn(&pid_, program.c_str(), &files, nullptr, argv.data(), env.data()) != 0) pid_ = -1;
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
}

host_process::~host_process() {
  if (pid_ > 0) kill(pid_, SIGKILL), waitpid(pid_, nullptr, 0);
  close(output_);
}

bool host_process::reads(const std::string& wanted) {
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

int host_process::exit_code() {
  if (!reads()) return -1;
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  pollfd one{handle, POLLIN, 0};
  const bool ended = poll(&one, 1, patience_ms) == 1;
  close(handle);
  int how = 0;
  if (!ended || waitpid(std::exchange(pid_, -1), &how, 0) < 0) return -1;
  return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

void host_process::stop_with(int signal) const { kill(pid_, signal); }

}  // namespace muster::testing
