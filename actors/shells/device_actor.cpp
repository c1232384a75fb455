#include <muster/actors/shells/device_actor.hpp>

#include <string>
#include <type_traits>
#include <utility>

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/error.hpp>
#include <caf/response_promise.hpp>
#include <caf/sec.hpp>
#include <caf/send.hpp>

#include <muster/messages/values/limits.hpp>

namespace muster {

/// The device's wake, as a message to ourselves.
struct device_moved {};
/// Everything that was asked before the failure has been answered.
struct end_of_device {};

}  // namespace muster

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::device_moved)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::end_of_device)

namespace muster {

device_actor::device_actor(caf::actor_config& config, std::shared_ptr<device> device)
    : ordered_actor(config), device_(std::move(device)) {}

caf::behavior device_actor::make_behavior() {
  // Called by the device's thread, perhaps after our end: so it holds us weakly. One message at a time is
  // on its way, however often the device wakes us.
  device_->on_progress([us = caf::weak_actor_ptr{ctrl()}, woken = woken_] {
    if (woken->exchange(true)) return;
    if (auto self = caf::actor_cast<caf::actor>(us)) caf::anon_send(self, device_moved{});
  });
  return {
      [this](launch_kernel& order) { receive(order); },
      [this](reduce_cover& order) { receive(order); },
      [this](fold_partials& order) { receive(order); },
      [this](ask_device) { return report(); },
      [this](device_moved) { on_moved(); },
      [this](end_of_device) {
        quit(caf::make_error(caf::sec::runtime_error, to_string(device_->failure())));
      },
  };
}

void device_actor::on_exit() {
  device_->close();
  while (!in_flight_.empty()) {
    auto last = std::move(in_flight_.front());
    in_flight_.pop_front();
    const bool finished = device_->query(last.work.done) == event_progress::done;
    give(last.give, finished ? status{} : device_->failure(),
         finished ? std::move(last.work.result) : contribution{});
  }
  alive_ = nullptr;
}

void device_actor::on(launch_kernel& order) {
  auto give_done = reply_for<launch_done>(order.done);
  if (!has_room(give_done)) return;
  if (!order.kernel) {
    return give(give_done,
                error(status_code::invalid_argument, "launch '" + order.name + "' has no kernel"));
  }
  auto queued = device_->launch(order.name, std::move(order.kernel), order.bytes_reduced);
  if (!queued.ok()) return keep(std::move(queued), std::move(give_done));
  keep(started_reduction{device_->record(), {}, {}}, std::move(give_done));
}

void device_actor::on(reduce_cover& order) {
  auto give_done = reply_for<fold_done>(order.done);
  if (has_room(give_done))
    keep(start_cover(*device_, order.said, order.leaves), std::move(give_done));
}

void device_actor::on(fold_partials& order) {
  auto give_done = reply_for<fold_done>(order.done);
  if (!has_room(give_done)) return;
  keep(start_fold(*device_, order.said, order.finish, order.inputs), std::move(give_done));
}

void device_actor::on_moved() {
  after_sender();
  woken_->store(false);  // before looking: what happens from now on wakes us again
  answer_finished();
  if (device_->failure().ok() || ending_) return;
  // What is in the mailbox already is answered first, each with the device's failure.
  ending_ = true;
  send(this, end_of_device{});
}

// The sender, as the current message's, gets a message unless the command came with a function.
template <class Done, class Answer>
device_actor::reply device_actor::reply_for(const Answer& wanted) {
  constexpr bool is_fold = std::is_same_v<Done, fold_done>;
  if (wanted) {
    return [wanted](status outcome, [[maybe_unused]] contribution result) {
      if constexpr (is_fold)
        wanted(std::move(outcome), std::move(result));
      else
        wanted(std::move(outcome));
    };
  }
  return [promise = make_response_promise()](status outcome,
                                             [[maybe_unused]] contribution result) mutable {
    if constexpr (is_fold)
      promise.deliver(Done{std::move(outcome), std::move(result)});
    else
      promise.deliver(Done{std::move(outcome)});
  };
}

bool device_actor::has_room(const reply& to) {
  if (in_flight_.size() < limits::device_commands_max) return true;
  auto refused = to;
  give(refused, error(status_code::resource_exhausted,
                      std::string(device_->kind()) + ": " + std::to_string(in_flight_.size()) +
                          " commands are in flight (limit device_commands_max)"));
  return false;
}

void device_actor::keep(result<started_reduction> started, reply to) {
  if (!started) return give(to, started.why());
  in_flight_.push_back({std::move(*started), std::move(to)});
  alive_ = caf::strong_actor_ptr{ctrl()};
  answer_finished();  // what needed no launch is done already
}

void device_actor::answer_finished() {
  while (!in_flight_.empty()) {
    const auto progress = device_->query(in_flight_.front().work.done);
    if (progress == event_progress::pending) return;
    auto next = std::move(in_flight_.front());
    in_flight_.pop_front();
    if (progress == event_progress::done)
      give(next.give, {}, std::move(next.work.result));
    else
      give(next.give, device_->failure());
  }
  alive_ = nullptr;
}

void device_actor::give(reply& to, status outcome, contribution result) {
  ++answered_;
  to(std::move(outcome), std::move(result));
}

device_report device_actor::report() const {
  return {std::string(device_->kind()), device_->failure(), device_->counters(), in_flight_.size(),
          answered_};
}

}  // namespace muster
