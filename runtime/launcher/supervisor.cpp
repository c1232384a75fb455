#include <muster/runtime/launcher/supervisor.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include <sys/resource.h>
#include <unistd.h>

#include <muster/messages/transport/zmq/zmq_transport.hpp>
#include <muster/runtime/launcher/orphans.hpp>
#include <muster/runtime/launcher/program.hpp>
#include <muster/runtime/launcher/random_names.hpp>
#include <muster/runtime/launcher/steady_now.hpp>

namespace muster {
namespace {

constexpr int exit_not_started = 126;
/// Steps of the meeting point before others get their turn; a step is bounded itself.
constexpr int meeting_steps_max = 16;

/// Our own sockets and pipes grow with the number of hosts: takes what the system allows, and
/// returns what it was.
unsigned long raise_descriptor_limit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return 0;
  const auto before = files.rlim_cur;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  return before;
}

std::vector<std::string> whole_environment() {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) out.emplace_back(*entry);
  return out;
}

std::string counted(std::uint32_t n, const char* noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

}  // namespace

supervisor::supervisor(launch_options options)
    : options_(std::move(options)),
      out_(1),
      own_err_(2),
      err_(own_err_.same_as(out_) ? &out_ : &own_err_),
      outcome_(options_.hosts) {}

int supervisor::run() {
  started_ = steady_now();
  if (auto failed = prepare()) {
    flush();
    return *failed;
  }
  adopt_orphans();
  start_hosts();
  while (!finished()) {
    wait_for_news();
    for (int signal : signals_.take()) on_signal(signal);
    read_output();
    reap();
    check_deadlines();
    flush();
  }
  return report_and_flush();
}

/// Finds the program and binds the meeting point; the exit code when that fails.
std::optional<int> supervisor::prepare() {
  const char* path = std::getenv("PATH");
  auto found = find_program(options_.command.front(), path != nullptr ? path : "/usr/bin:/bin");
  if (!found.why.empty()) {
    say(found.why);
    return found.exit_code;
  }
  program_ = found.path;
  descriptors_ = raise_descriptor_limit();
  world_ = {options_.job.empty() ? random_job() : options_.job,
            random_credential(),
            {},
            options_.hosts,
            options_.devices};
  auto over =
      make_zmq_transport({world_.job, world_.credential, launcher_rank, random_incarnation()});
  if (!over) {
    say(to_string(over.why()));
    return exit_code(over.why().code);
  }
  meeting_ = std::make_unique<meeting_point>(std::move(*over), options_.hosts,
                                             [this](auto& text) { say(text); });
  world_.launcher = meeting_->where();
  return std::nullopt;
}

void supervisor::start_hosts() {
  say(counted(options_.hosts, "host") + " x " + counted(options_.devices.count, "device") +
      ", job " + world_.job);
  const auto inherited = whole_environment();
  for (rank who{0}; who.value < options_.hosts; ++who.value) {
    const bool watched = who == rank{0} && out_.is_terminal();
    if (start_host(who, {program_, options_.command,
                         child_environment(inherited, world_, who, watched), descriptors_}))
      continue;
    outcome_.on_order(exit_not_started, "not all hosts could be started");
    return end_all(options_.grace);
  }
}

bool supervisor::start_host(rank who, const child_command& command) {
  auto process = child::start(command);
  if (!process) {
    say("host " + std::to_string(who.value) + ": " + process.why().text);
    return false;
  }
  auto& started =
      *hosts_.emplace(who, std::make_unique<launched>(launched{std::move(*process), false, {}}))
           .first->second;
  const auto prefix = options_.prefix ? "[" + std::to_string(who.value) + "] " : std::string{};
  const bool live = who == rank{0};
  started.streams.push_back(
      {&started.process.output(), &out_, output_lines(prefix, live && out_.is_terminal())});
  started.streams.push_back(
      {&started.process.errors(), err_, output_lines(prefix, live && err_->is_terminal())});
  return true;
}

/// No host, no descendant of one, no output left. A terminal that is stopped is waited for: who
/// stopped it may go on, or interrupt us.
bool supervisor::finished() {
  if (outcome_.ended() < hosts_.size()) return false;
  const bool descendants = kill_all_children();
  if (out_.waiting() || err_->waiting() || give_up_at_ == never) {
    give_up_at_ = after(steady_now(), limits::grace_default);
    if (out_.waiting() || err_->waiting()) return phase_ == phase::killed && interrupted_;
  }
  const bool open = std::any_of(hosts_.begin(), hosts_.end(), [](auto& h) {
    return std::any_of(h.second->streams.begin(), h.second->streams.end(),
                       [](auto& s) { return bool(*s.from); });
  });
  return (!descendants && !open) || steady_now() >= give_up_at_;
}

void supervisor::watch(int descriptor, short events) { polled_.push_back({descriptor, events, 0}); }

void supervisor::wait_for_news() {
  int steps = 0;
  while (meeting_->step(steady_now()) && ++steps < meeting_steps_max) {
  }
  polled_.clear();
  watch(signals_.descriptor(), POLLIN);
  watch(meeting_->descriptor(), POLLIN);
  for (auto* one : {&out_, err_})
    if (one->waiting()) watch(one->descriptor(), POLLOUT);
  for (auto& [who, host] : hosts_)
    for (auto& one : host->streams) {
      one.polled = 0;
      if (!*one.from || !one.to->has_room()) continue;
      one.polled = polled_.size();
      watch(one.from->get(), POLLIN);
    }
  poll(polled_.data(), polled_.size(), steps == meeting_steps_max ? 0 : patience(steady_now()));
}

/// Milliseconds until something is due, rounded up so that it is due then; -1 for ever.
int supervisor::patience(time_point now) const {
  auto next = std::min(kill_at_, give_up_at_);
  if (auto due = meeting_->deadline()) next = std::min(next, *due);
  if (phase_ == phase::running) {
    next = std::min(next, stop_at_);
    if (options_.timeout) next = std::min(next, after(started_, *options_.timeout));
  }
  if (next == never) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

int supervisor::report_and_flush() {
  say(outcome_.summary(steady_now() - started_));
  const auto until = after(steady_now(), limits::linger_max);
  for (flush(); err_->waiting() && steady_now() < until; flush()) {
    pollfd one{err_->descriptor(), POLLOUT, 0};
    poll(&one, 1, static_cast<int>(limits::linger_max / std::chrono::milliseconds(1)));
  }
  return outcome_.exit_code();
}

}  // namespace muster
