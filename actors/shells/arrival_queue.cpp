#include <muster/actors/shells/arrival_queue.hpp>

#include <algorithm>
#include <utility>

namespace muster {

void arrival_queue::call(time_point now, muster::arrive arrive, bool prepared) {
  auto soft = after(now, arrive.remaining.soft), hard = after(now, arrive.remaining.hard);
  entry e{std::move(arrive), soft, hard, prepared, false, {}};
  // A named call is never held up: it goes before everything that waits.
  if (is_named(e.arrive.said.kind) && prepared)
    waiting_.push_front(std::move(e));
  else
    waiting_.push_back(std::move(e));
}

bool arrival_queue::prepare(ticket which, status outcome, contribution made) {
  auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const entry& e) {
    return e.arrive.ticket == which && !e.prepared;
  });
  if (found == waiting_.end()) return false;
  found->prepared = true;
  found->failure = std::move(outcome);
  found->arrive.contribution = std::move(made);
  return true;
}

bool arrival_queue::fail(ticket which, status cause) {
  auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const entry& e) {
    return e.arrive.ticket == which && e.failure.ok();
  });
  if (found == waiting_.end()) return false;
  found->prepared = true;
  found->failure = std::move(cause);
  return true;
}

std::optional<arrival_queue::ready> arrival_queue::next(time_point now) {
  if (waiting_.empty()) return std::nullopt;
  auto& front = waiting_.front();
  if (!front.prepared && now < front.hard) return std::nullopt;
  if (!front.prepared)
    front.failure =
        error(status_code::device_error,
              to_string(front.arrive.said) +
                  ": the devices of this host had not made its contribution by the hard deadline");
  ready out{std::move(front.arrive), std::move(front.failure)};
  out.arrive.remaining = {std::max(front.soft - now, duration::zero()),
                          std::max(front.hard - now, duration::zero())};
  waiting_.pop_front();
  return out;
}

std::vector<std::pair<ticket, status>> arrival_queue::overdue(time_point now) {
  std::vector<std::pair<ticket, status>> out;
  for (std::size_t i = 1; i < waiting_.size(); ++i) {
    auto& e = waiting_[i];
    if (e.told || now < e.hard) continue;
    e.told = e.prepared = true;
    e.failure = error(
        status_code::deadline_exceeded,
        to_string(e.arrive.said) + ": stood behind " + to_string(waiting_.front().arrive.said) +
            ", whose contribution this host was still making, until its own hard deadline");
    out.emplace_back(e.arrive.ticket, e.failure);
  }
  return out;
}

std::optional<time_point> arrival_queue::deadline() const {
  std::optional<time_point> earliest;
  for (const auto& e : waiting_)
    if (!e.told && (!earliest || e.hard < *earliest)) earliest = e.hard;
  return earliest;
}

}  // namespace muster
