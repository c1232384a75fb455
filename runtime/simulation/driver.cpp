#include <muster/runtime/simulation/driver.hpp>

#include <algorithm>
#include <utility>

#include <caf/resumable.hpp>

#include <muster/messages/values/ensure.hpp>

namespace muster {

// ---- seats

void host_seat::post(std::function<void()> work) {
  work_.push_back(std::move(work));
  driver_.mark_ready(*this);
}

void host_seat::add(reactor_client& client) {
  ensure(!client_, "a seat serves one host actor");
  client_ = &client;
  driver_.seat_of_[&client] = this;
  serve_soon_ = true;
  driver_.mark_ready(*this);
}

void host_seat::remove(reactor_client& client) {
  ensure(client_ == &client, "the client that leaves a seat is the one that sits there");
  driver_.seat_of_.erase(&client);
  client_ = nullptr;
  driver_.enter_deadline(*this);
}

// ---- the driver

driver::driver(std::uint64_t seed, caf::scheduler::test_coordinator& jobs, trace& log)
    : random_(seed), jobs_(jobs), trace_(log) {}

host_seat& driver::add_seat() {
  seats_.push_back(
      std::make_unique<host_seat>(*this, rank{static_cast<std::uint32_t>(seats_.size())}));
  return *seats_.back();
}

void driver::at(time_point when, std::function<void()> what) {
  agenda_.emplace(std::pair{std::max(when, clock_.now()), serial_++}, std::move(what));
}

void driver::wake(rank r) {
  auto& s = seat(r);
  if (!s.client_ || s.serve_soon_) return;
  s.serve_soon_ = true;
  mark_ready(s);
}

void driver::mark_ready(host_seat& s) {
  if (!std::exchange(s.listed_, true)) ready_.push_back(&s);
}

void driver::enter_deadline(host_seat& s) {
  const auto due = s.client_ ? s.client_->deadline().value_or(never) : never;
  if (due == s.due_) return;
  if (s.due_ != never) deadlines_.erase({s.due_, s.rank_});
  s.due_ = due;
  if (due != never) deadlines_.emplace(std::pair{due, s.rank_}, &s);
}

bool driver::step(time_point limit) {
  ensure(!stepping_, "a step is not taken within a step");
  stepping_ = true;
  const auto choices = jobs_.jobs.size() + ready_.size();
  bool moved = true;
  if (choices == 0) {
    moved = advance_time(limit);
  } else if (const auto choice = random_.below(choices); choice < jobs_.jobs.size()) {
    run_job(choice);
  } else {
    const auto place = static_cast<std::size_t>(choice - jobs_.jobs.size());
    auto& s = *ready_[place];
    if (s.serve_soon_ && (s.work_.empty() || random_.below(2) == 0))
      serve(s);
    else
      resume(s);
    if (!ready(s)) {
      s.listed_ = false;
      ready_[place] =
          ready_.back();  // what became ready meanwhile stands behind: `place` is still ours
      ready_.pop_back();
    }
  }
  stepping_ = false;
  return moved;
}

void driver::run_job(std::size_t index) {
  auto& queue = jobs_.jobs;
  std::rotate(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(index),
              queue.begin() + static_cast<std::ptrdiff_t>(index) + 1);
  // The job may be gone after it ran; whose it is must be known before.
  const auto* client = dynamic_cast<const reactor_client*>(queue.front());
  const auto seat = client ? seat_of_.find(client) : seat_of_.end();
  host_seat* of = seat == seat_of_.end() ? nullptr : seat->second;
  trace_.note(clock_.now(), of ? of->rank_ : launcher_rank, "job", index);
  const no_blocking_scope scope;
  jobs_.run_once();
  if (of) enter_deadline(*of);
}

void driver::serve(host_seat& s) {
  s.serve_soon_ = false;
  if (!s.client_) return;
  const no_blocking_scope scope;
  s.client_->serve(clock_.now());
  if (s.client_ && s.client_->busy()) s.serve_soon_ = true;
  enter_deadline(s);
}

void driver::resume(host_seat& s) {
  auto work = std::move(s.work_.front());
  s.work_.pop_front();
  trace_.note(clock_.now(), s.rank_, "resume");
  s.run_here(work);
}

bool driver::advance_time(time_point limit) {
  auto next = never;
  if (!agenda_.empty()) next = std::min(next, agenda_.begin()->first.first);
  if (!deadlines_.empty()) next = std::min(next, deadlines_.begin()->first.first);
  if (network_) next = std::min(next, network_->next_due().value_or(never));
  if (next == never || next > limit) return false;
  clock_.advance_to(next);
  if (network_) network_->advance(next);
  if (network_ && network_->next_due().value_or(never) <= next) network_->deliver_due(next);
  while (!agenda_.empty() && agenda_.begin()->first.first <= next)
    agenda_.extract(agenda_.begin()).mapped()();
  while (!deadlines_.empty() && deadlines_.begin()->first.first <= next) {
    auto& s = *deadlines_.begin()->second;
    deadlines_.erase(deadlines_.begin());
    s.due_ = never;
    s.serve_soon_ = true;
    mark_ready(s);
  }
  return true;
}

status driver::drive_until(const std::function<bool()>& done) {
  if (stepping_)
    return error(status_code::would_block,
                 "a wait inside the simulation: co_await the operation instead");
  while (!done())
    if (!step())
      return error(status_code::unavailable,
                   "nothing is left to happen in the simulation, and it is not done");
  return {};
}

// ---- devices

void simulated_completions::schedule(duration cost, std::function<void()> run) {
  driver_.at(driver_.clock().now() + cost * factor_, [this, run = std::move(run)] {
    driver_.log().note(driver_.clock().now(), host_, "device", device_);
    run();
  });
}

}  // namespace muster
