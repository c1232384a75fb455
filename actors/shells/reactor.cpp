#include <muster/actors/shells/reactor.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include <caf/actor_system.hpp>
#include <caf/resumable.hpp>

#include <muster/actors/shells/no_signals_scope.hpp>
#include <muster/messages/values/ensure.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster {

namespace {

timespec to_timespec(duration d) {
  auto whole = std::chrono::floor<std::chrono::seconds>(d);
  return {static_cast<time_t>(whole.count()), static_cast<long>((d - whole).count())};
}

}  // namespace

reactor::reactor(caf::actor_system& system, const clock_source& clock,
                 std::function<std::shared_ptr<void>()> scope)
    : caf::execution_unit(&system),
      clock_(clock),
      wake_descriptor_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  ensure(wake_descriptor_ >= 0, "an eventfd for the reactor");
  no_signals_scope inherited;
  thread_ = std::thread([this, scope = std::move(scope)] { run(scope); });
}

reactor::~reactor() {
  stop();
  close(wake_descriptor_);
}

void reactor::exec_later(caf::resumable* job) {
  bool must_wake = false;
  {
    std::lock_guard lock(mutex_);
    if (!stopped_) {
      jobs_.push_back(job);
      must_wake = std::exchange(asleep_, false);
      job = nullptr;
    }
  }
  if (must_wake) wake();
  if (job) job->intrusive_ptr_release_impl();
}

void reactor::add(reactor_client& client) { clients_.push_back(&client); }

void reactor::remove(reactor_client& client) {
  std::replace(clients_.begin(), clients_.end(), &client, static_cast<reactor_client*>(nullptr));
}

void reactor::stop() {
  ensure(!is_this_thread(), "a reactor is not stopped from its own thread");
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
}

void reactor::run(const std::function<std::shared_ptr<void>()>& scope) {
  const auto held = scope ? scope() : nullptr;
  thread_id_ = std::this_thread::get_id();
  system().thread_started();
  for (;;) {
    run_jobs();
    serve_clients();
    {
      std::lock_guard lock(mutex_);
      if (stopped_) break;
      if (!jobs_.empty() || !running_.empty()) continue;
    }
    if (!anyone_busy()) sleep();
  }
  std::vector<caf::resumable*> left = std::move(running_);
  {
    std::lock_guard lock(mutex_);
    left.insert(left.end(), jobs_.begin(), jobs_.end());
    jobs_.clear();
  }
  for (auto* job : left) job->intrusive_ptr_release_impl();
  system().thread_terminates();
}

// One batch: what was queued when it began, at most step_messages_max messages per actor. An actor that
// has more to do goes to the end, behind the clients.
void reactor::run_jobs() {
  {
    std::lock_guard lock(mutex_);
    running_.insert(running_.end(), jobs_.begin(), jobs_.end());
    jobs_.clear();
  }
  std::vector<caf::resumable*> again;
  for (auto* job : running_) {
    switch (job->resume(this, limits::step_messages_max)) {
      case caf::resumable::resume_later: again.push_back(job); break;
      case caf::resumable::done:
      case caf::resumable::awaiting_message:
      case caf::resumable::shutdown_execution_unit: job->intrusive_ptr_release_impl(); break;
    }
  }
  running_ = std::move(again);
}

void reactor::serve_clients() {
  for (std::size_t i = 0; i < clients_.size(); ++i)  // a client may add or remove clients
    if (clients_[i]) clients_[i]->serve(clock_.now());
  std::erase(clients_, nullptr);
}

bool reactor::anyone_busy() const {
  return std::any_of(clients_.begin(), clients_.end(), [](const auto* c) { return c->busy(); });
}

std::optional<time_point> reactor::next_deadline() const {
  std::optional<time_point> earliest;
  for (const auto* c : clients_)
    if (auto due = c->deadline(); due && (!earliest || *due < *earliest)) earliest = due;
  return earliest;
}

void reactor::sleep() {
  std::vector<pollfd> waits{{wake_descriptor_, POLLIN, 0}};
  for (const auto* c : clients_)
    if (int fd = c->descriptor(); fd >= 0) waits.push_back({fd, POLLIN, 0});
  auto due = next_deadline();
  {
    std::lock_guard lock(mutex_);
    if (!jobs_.empty() || stopped_) return;
    asleep_ = true;
  }
  timespec timeout{};
  if (due) timeout = to_timespec(std::max(*due - clock_.now(), duration::zero()));
  sleeps_.fetch_add(1, std::memory_order_relaxed);
  ppoll(waits.data(), waits.size(), due ? &timeout : nullptr, nullptr);
  {
    std::lock_guard lock(mutex_);
    asleep_ = false;
  }
  std::uint64_t count = 0;
  if (waits[0].revents) [[maybe_unused]]
    auto n = read(wake_descriptor_, &count, sizeof count);
}

void reactor::wake() const {
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = write(wake_descriptor_, &one, sizeof one);
}

}  // namespace muster
