#include <muster/runtime/launcher/child.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace muster {
namespace {

struct pipe_ends {
  descriptor read;
  descriptor write;
};

bool make_pipe(pipe_ends& out) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  out = {descriptor(ends[0]), descriptor(ends[1])};
  return true;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

/// Everything that the new process needs, made before the fork: after it only calls that are safe
/// in a copy of a process with threads.
struct exec_plan {
  const char* path;
  char** arguments;
  char** environment;
  unsigned long descriptors;
  int null_input, output, errors, failure;
  pid_t parent;
};

[[noreturn]] void become_program(const exec_plan& plan) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(127);  // it died before it could be watched
  for (int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGTSTP}) std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  rlimit files{};
  if (plan.descriptors != 0 && getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = plan.descriptors;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  if (dup2(plan.null_input, 0) >= 0 && dup2(plan.output, 1) >= 0 && dup2(plan.errors, 2) >= 0)
    execve(plan.path, plan.arguments, plan.environment);
  const int why = errno;
  [[maybe_unused]] auto written = write(plan.failure, &why, sizeof why);
  _exit(127);
}

/// The errno of a failed execve, or 0: the pipe closes by itself when the program runs.
int read_failure(const descriptor& from) {
  int why = 0;
  ssize_t n;
  do n = read(from.get(), &why, sizeof why);
  while (n < 0 && errno == EINTR);
  return n == static_cast<ssize_t>(sizeof why) ? why : 0;
}

status failed(const std::string& what, int why) {
  return error(status_code::unavailable, what + ": " + std::strerror(why));
}

}  // namespace

result<child> child::start(const child_command& what) {
  descriptor null_input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  pipe_ends output, errors, failure;
  if (!null_input || !make_pipe(output) || !make_pipe(errors) || !make_pipe(failure))
    return failed("no descriptors for '" + what.path + "'", errno);
  auto arguments = pointers_to(what.arguments), environment = pointers_to(what.environment);
  const exec_plan plan{what.path.c_str(),  arguments.data(),    environment.data(),
                       what.descriptors,   null_input.get(),    output.write.get(),
                       errors.write.get(), failure.write.get(), getpid()};
  const pid_t pid = fork();
  if (pid < 0) return failed("no process for '" + what.path + "'", errno);
  if (pid == 0) become_program(plan);

  setpgid(pid, pid);  // on both sides, since either may be first; late it fails and is not needed
  failure.write.reset();
  if (int why = read_failure(failure.read); why != 0) {
    waitpid(pid, nullptr, 0);
    return failed("'" + what.path + "' can't be executed", why);
  }
  for (auto* end : {&output.read, &errors.read}) fcntl(end->get(), F_SETFL, O_NONBLOCK);
  child out;
  out.pid_ = pid;
  out.output_ = std::move(output.read);
  out.errors_ = std::move(errors.read);
  return out;
}

void child::signal_group(int signal) const { kill(-pid_, signal); }

}  // namespace muster
