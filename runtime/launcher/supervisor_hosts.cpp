// The supervisor and its hosts' lives: signals passed on, ends noticed, deadlines kept.
#include <algorithm>
#include <csignal>

#include <sys/wait.h>

#include <muster/messages/values/text.hpp>
#include <muster/runtime/launcher/steady_now.hpp>
#include <muster/runtime/launcher/supervisor.hpp>

namespace muster {
namespace {

constexpr int exit_time_out = 124;  // as timeout(1)

}  // namespace

void supervisor::on_signal(int signal) {
  if (signal == SIGCHLD) return;  // reap() looks anyway
  if (signal == SIGCONT) return signal_all(SIGCONT);
  if (signal == SIGTSTP) return on_stop();
  on_interruption(signal);
}

/// Ctrl-Z: the hosts first, since their groups aren't the terminal's.
void supervisor::on_stop() {
  signal_all(SIGSTOP);
  raise(SIGSTOP);
  signal_all(SIGCONT);
}

void supervisor::on_interruption(int signal) {
  const auto name = signal_name(signal);
  // A hang-up often comes twice, from the terminal and from the shell: only the others mean
  // impatience.
  if (interrupted_ && signal == SIGHUP) return;
  if (std::exchange(interrupted_, true)) {
    say(name + " again: killing the hosts");
    return kill_all();
  }
  outcome_.on_signal(signal);
  say(name + ": passed on to the hosts; once more kills them");
  phase_ = std::max(phase_, phase::ending);
  kill_at_ = std::min(kill_at_, after(steady_now(), options_.drain));
  signal_all(signal);
  signal_all(SIGCONT);  // whoever is stopped should hear it too
}

/// Every child process that has ended: hosts, and orphans that we adopted.
void supervisor::reap() {
  for (;;) {
    siginfo_t end{};
    if (waitid(P_ALL, 0, &end, WEXITED | WNOHANG | WNOWAIT) != 0 || end.si_pid == 0) return;
    auto whose = std::find_if(hosts_.begin(), hosts_.end(), [&](auto& h) {
      return !h.second->ended && h.second->process.pid() == end.si_pid;
    });
    // Its group goes with it, while its number is still its own.
    if (whose != hosts_.end()) whose->second->process.signal_group(SIGKILL);
    waitpid(end.si_pid, nullptr, 0);
    if (whose == hosts_.end()) continue;
    whose->second->ended = true;
    const bool by_signal = end.si_code != CLD_EXITED;
    on_host_ended(whose->first, by_signal ? ending{0, end.si_status} : ending{end.si_status, 0});
  }
}

void supervisor::on_host_ended(rank who, const ending& how) {
  // What it said last is printed before what we say about it.
  for (auto& one : hosts_[who]->streams)
    while (read_stream(who, one)) {
    }
  outcome_.on_end(who, how);
  meeting_->on_host_ended(who);
  if (!how.failed() || phase_ != phase::running || outcome_.ended() == hosts_.size()) return;
  const bool stop = options_.after_failure == on_failure::stop;
  say("host " + std::to_string(who.value) + " ended with " + to_string(how) +
      (stop ? "" : "; the others go on"));
  if (stop) stop_at_ = std::min(stop_at_, after(steady_now(), limits::failure_settle));
}

void supervisor::check_deadlines() {
  const auto now = steady_now();
  if (options_.timeout && phase_ == phase::running && after(started_, *options_.timeout) <= now) {
    outcome_.on_order(exit_time_out, "stopped at the time-out of " + to_string(*options_.timeout));
    end_all(options_.grace);
  }
  if (stop_at_ <= now && phase_ == phase::running && outcome_.ended() < hosts_.size()) {
    say("stopping the others");
    end_all(options_.grace);
  }
  if (kill_at_ <= now && phase_ != phase::killed && outcome_.ended() < hosts_.size()) {
    say("the hosts that are left didn't end in time: killing them");
    kill_all();
  }
}

void supervisor::end_all(duration until_killed) {
  outcome_.on_stop();
  phase_ = std::max(phase_, phase::ending);
  kill_at_ = std::min(kill_at_, after(steady_now(), until_killed));
  signal_all(SIGTERM);
  signal_all(SIGCONT);
}

void supervisor::kill_all() {
  phase_ = phase::killed;
  kill_at_ = never;
  outcome_.on_kill();
  signal_all(SIGKILL);
}

void supervisor::signal_all(int signal) {
  for (auto& [who, host] : hosts_)
    if (!host->ended) host->process.signal_group(signal);
}

}  // namespace muster
