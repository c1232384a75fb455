#include <muster/tests/system/muster_process.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

/// Far beyond what a busy machine needs; a test that comes here has failed.
constexpr auto patience = 60s;
constexpr int patience_ms = 60'000;

template <class Condition>
bool in_time(Condition holds) {
  const auto until = steady::now() + patience;
  while (!holds()) {
    if (steady::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace

muster_process::muster_process(std::vector<std::string> arguments, on what) {
  arguments.insert(arguments.begin(), MUSTER_COMMAND);
  std::vector<char*> pointers;
  for (auto& a : arguments) pointers.push_back(a.data());
  pointers.push_back(nullptr);
  int out = -1, err = -1;
  what == on::terminal ? open_terminal(out, err) : open_pipes(out, err);
  pid_ = fork();
  if (pid_ == 0) {
    if (what == on::terminal) setsid();
    dup2(out, 1);
    dup2(err, 2);
    execv(pointers[0], pointers.data());
    _exit(125);
  }
  close(out);
  if (err != out) close(err);
}

void muster_process::open_pipes(int& out, int& err) {
  int first[2], second[2];
  if (pipe2(first, O_CLOEXEC) != 0 || pipe2(second, O_CLOEXEC) != 0) std::abort();
  output_ = first[0];
  errors_ = second[0];
  out = first[1];
  err = second[1];
}

void muster_process::open_terminal(int& out, int& err) {
  output_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (output_ < 0 || grantpt(output_) != 0 || unlockpt(output_) != 0) std::abort();
  out = err = open(ptsname(output_), O_RDWR | O_NOCTTY | O_CLOEXEC);
  terminal_ = open(ptsname(output_), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (out < 0 || terminal_ < 0) std::abort();
}

void muster_process::stop_terminal() const { tcflow(terminal_, TCOOFF); }

muster_process::~muster_process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  stop_reading();
  if (errors_ >= 0) close(errors_);
  if (terminal_ >= 0) close(terminal_);
}

void muster_process::send(int signal) const { kill(pid_, signal); }

void muster_process::stop_reading() {
  if (output_ >= 0) close(output_);
  output_ = -1;
}

/// False at the end of both streams, or when nothing came for too long.
bool muster_process::read_some() {
  std::array<pollfd, 2> both = {pollfd{output_, POLLIN, 0}, pollfd{errors_, POLLIN, 0}};
  if (output_ < 0 && errors_ < 0) return false;
  if (poll(both.data(), both.size(), patience_ms) <= 0) {
    ADD_FAILURE() << "nothing came from muster for " << patience.count() << " s";
    return false;
  }
  std::array<char, 1 << 16> bytes;
  for (std::size_t i = 0; i < both.size(); ++i) {
    if (both[i].revents == 0) continue;
    int& from = i == 0 ? output_ : errors_;
    auto n = read(from, bytes.data(), bytes.size());
    if (n > 0)
      (i == 0 ? seen_.output : seen_.errors).append(bytes.data(), static_cast<std::size_t>(n));
    else
      close(std::exchange(from, -1));
  }
  return true;
}

bool muster_process::prints(const std::string& text) {
  const auto until = steady::now() + patience;
  std::size_t output_seen = 0, errors_seen = 0;
  auto there = [&](const std::string& in, std::size_t& seen) {
    const bool found = in.find(text, seen) != std::string::npos;
    seen = in.size() < text.size() ? 0 : in.size() - text.size() + 1;
    return found;
  };
  while (!there(seen_.output, output_seen) && !there(seen_.errors, errors_seen))
    if (steady::now() > until || !read_some()) return false;
  return true;
}

finished_process muster_process::finish() {
  // Ours would keep the terminal open for ever.
  if (terminal_ >= 0) close(std::exchange(terminal_, -1));
  while (read_some()) {
  }
  if (::testing::Test::HasFailure()) kill(pid_, SIGKILL);
  ends();
  return seen_;
}

bool muster_process::ends() {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  pollfd one{handle, POLLIN, 0};
  const bool ended = poll(&one, 1, patience_ms) == 1;
  close(handle);
  int how = 0;
  if (ended && waitpid(std::exchange(pid_, -1), &how, 0) > 0)
    seen_.exit_code = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
  return ended;
}

std::string muster_process::value_of(const std::string& name) const {
  auto at = seen_.output.find(name + "=");
  if (at == std::string::npos) return {};
  at += name.size() + 1;
  return seen_.output.substr(at, seen_.output.find('\n', at) - at);
}

finished_process run_muster(std::vector<std::string> arguments) {
  return muster_process(std::move(arguments)).finish();
}

std::vector<std::string> script_arguments(std::vector<std::string> options,
                                          const std::string& script) {
  options.insert(options.begin(), "run");
  options.insert(options.end(), {"--", "sh", "-c", script});
  return options;
}

finished_process run_script(std::vector<std::string> options, const std::string& script) {
  return run_muster(script_arguments(std::move(options), script));
}

char state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  auto name_end = text.rfind(") ");
  return name_end == std::string::npos ? '\0' : text[name_end + 2];
}

std::size_t memory_peak_mb(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; file >> word;)
    if (std::size_t kb = 0; word == "VmHWM:" && file >> kb) return kb / 1024;
  return 0;
}

bool becomes(pid_t pid, char state) {
  return in_time([&] { return state_of(pid) == state; });
}

bool is_running(pid_t pid) { return state_of(pid) != '\0' && state_of(pid) != 'Z'; }

bool stops_running(pid_t pid) {
  return in_time([&] { return !is_running(pid); });
}

}  // namespace muster
