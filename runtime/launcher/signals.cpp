#include <muster/runtime/launcher/signals.hpp>

#include <csignal>

#include <sys/signalfd.h>
#include <unistd.h>

namespace muster {
namespace {

bool is_ignored(int signal) {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

signals::signals() {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGTSTP})
    if (!is_ignored(signal)) sigaddset(&wanted, signal);
  sigaddset(&wanted, SIGCONT);
  sigaddset(&wanted, SIGCHLD);
  // An ignored SIGCHLD would make the kernel throw the hosts' exit codes away.
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  sigprocmask(SIG_BLOCK, &wanted, nullptr);
  from_ = muster::descriptor(signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC));
}

std::vector<int> signals::take() {
  std::vector<int> out;
  signalfd_siginfo one{};
  while (read(from_.get(), &one, sizeof one) == static_cast<ssize_t>(sizeof one))
    out.push_back(static_cast<int>(one.ssi_signo));
  return out;
}

}  // namespace muster
