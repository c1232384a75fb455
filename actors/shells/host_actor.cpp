#include <muster/actors/shells/host_actor.hpp>

#include <algorithm>
#include <utility>

#include <caf/others.hpp>
#include <caf/send.hpp>

#include <muster/actors/shells/device_messages.hpp>
#include <muster/messages/values/ensure.hpp>

namespace muster {

namespace {

using end_now = caf::atom_constant<caf::atom("end_now")>;
const operation_key leave_key = named_key{op_kind::leave, ""};

status closed_here() {
  return error(status_code::unavailable, "this host was closed before the operation ended");
}

}  // namespace

host_actor::host_actor(caf::actor_config& cfg, host_actor_config config)
    : ordered_actor(cfg),
      config_(std::move(config)),
      over_(config_.over),
      now_(config_.clock->now()),
      meet_(config_.meet, config_.self == rank{0}),
      links_(*over_) {
  ensure(!config_.devices.empty(), "a host has at least one device");
}

host_actor::~host_actor() = default;

// ---- bound to one execution unit

void host_actor::enqueue(caf::mailbox_element_ptr element, caf::execution_unit* unit) {
  ordered_actor::enqueue(std::move(element), config_.unit ? config_.unit : unit);
}

void host_actor::launch(caf::execution_unit* unit, bool lazy, bool hide) {
  ordered_actor::launch(config_.unit ? config_.unit : unit, lazy, hide);
}

caf::behavior host_actor::make_behavior() {
  config_.served_by->add(*this);
  served_ = true;
  kept_alive_ = ctrl();
  set_default_handler(
      caf::drop);  // what nobody here understands must not be printed from this thread
  set_exception_handler([](auto*, std::exception_ptr&) -> caf::error {
    return caf::exit_reason::unhandled_exception;
  });
  return {
      [this](start_join& m) { receive(m); },         [this](start_operation& m) { receive(m); },
      [this](contribution_ready& m) { receive(m); }, [this](cancel_operation& m) { receive(m); },
      [this](abort_named& m) { receive(m); },        [this](shut_down& m) { receive(m); },
      [this](const ask_host&) { return report(); },  [this](end_now) { quit(); }};
}

void host_actor::on_exit() {
  if (std::exchange(served_, false)) config_.served_by->remove(*this);
  end_calls(closed_here());
  hand_back();
  kept_alive_.reset();
}

// ---- messages in

void host_actor::on(start_operation& call) {
  advance_time();
  if (!current_)
    return call.done(error(status_code::unavailable, "this host has not joined a world"), {});
  if (calls_.size() >= limits::pending_operations_max)
    return call.done(error(status_code::resource_exhausted,
                           to_string(call.said) + ": " + std::to_string(calls_.size()) +
                               " operations are pending on this host; at most " +
                               std::to_string(limits::pending_operations_max) + " are allowed"),
                     {});
  if (call.said.members.size() == table_.members.size()) call.said.members = {};  // everyone
  const auto group = is_named(call.said.kind) ? rank_set{} : call.said.members;
  calls_.emplace(call.ticket, pending_call{std::move(call.done), group});
  const bool prepared = call.contribution.has_value();
  arrive arrival{call.ticket, std::move(call.said), call.remaining, {}};
  if (prepared) arrival.contribution = std::move(*call.contribution);
  arrivals_.call(now_, std::move(arrival), prepared);
  let_arrive();
}

void host_actor::on(contribution_ready& made) {
  advance_time();
  if (!arrivals_.prepare(made.ticket, std::move(made.outcome), std::move(made.contribution)))
    return ignore("a contribution to a call that does not wait for one");
  let_arrive();
}

void host_actor::on(cancel_operation& wish) {
  advance_time();
  if (arrivals_.fail(wish.ticket, wish.cause)) return let_arrive();
  const auto called = calls_.find(wish.ticket);
  if (called == calls_.end()) return ignore("a cancel of a call that has ended");
  if (auto* p = find_part(table_.generation, called->second.group))
    step(*p, cancel{wish.ticket, std::move(wish.cause)});
}

void host_actor::on(abort_named& order) {
  advance_time();
  if (order.what.members.size() == table_.members.size()) order.what.members = {};
  if (current_) step(*current_, std::move(order.what));
}

void host_actor::on(shut_down& order) {
  advance_time();
  hand_back();  // a second order replaces the first
  handed_back_ = std::move(order.done);
  if (!left_ || departed_) return quit();
  hand_back_at_ = after(now_, config_.lease);
}

host_report host_actor::report() const {
  host_report out;
  out.generation = table_.generation;
  out.fenced = fenced_;
  out.groups = groups_.size();
  out.calls_pending = calls_.size();
  out.ignored = ignored_;
  if (over_) out.transport = over_->counters();
  const auto count = [&out](const part& p) {
    const auto more = p.core.table_sizes();
    out.tables.instances += more.instances;
    out.tables.log += more.log;
    out.tables.untaken += more.untaken;
    out.tables.waiters += more.waiters;
  };
  if (current_) count(*current_);
  for (const auto& [name, p] : groups_) count(p);
  return out;
}

/// Arrivals go to the core in the order of their calls, each as soon as its contribution is made.
void host_actor::let_arrive() {
  for (auto& [which, why] : arrivals_.overdue(now_)) finish_call(which, why, {});
  while (auto next = arrivals_.next(now_)) {
    const auto& said = next->arrive.said;
    part* where = &*current_;
    // The world's core says what is wrong with members that are not all of this world, or lack this host.
    const bool of_group = !is_named(said.kind) && !said.members.empty() &&
                          said.members.contains(config_.self) &&
                          said.members.ranges().back().last < config_.world_size;
    if (of_group) where = open_group(said.members);
    if (where == nullptr) {
      finish_call(next->arrive.ticket,
                  error(status_code::resource_exhausted,
                        to_string(said) + ": operations in " + std::to_string(limits::groups_max) +
                            " groups were called here; no more are allowed"),
                  {});
      continue;
    }
    arrive_at(*where, std::move(next->arrive), std::move(next->failure));
  }
}

void host_actor::arrive_at(part& p, muster::arrive arrival, status failure) {
  const auto which = arrival.ticket;
  const bool leaves = arrival.said.kind == op_kind::leave;
  const auto farewell = arrival;
  hold_back(arrival);
  step(p, std::move(arrival));
  if (!failure.ok()) step(p, cancel{which, std::move(failure)});
  // Whoever waits for this host in a group hears that it leaves, there.
  if (leaves && current_ && current_->core.leaving())
    for (auto& [name, group] : groups_) step(group, farewell);
}

// ---- time

void host_actor::advance_time() { now_ = std::max(now_, config_.clock->now()); }

void host_actor::serve(time_point now) {
  context(config_.unit);  // of the last resume, and gone since, where no unit was given
  now_ = std::max(now_, now);
  expire();
  auto events = over_->poll(now_);
  busy_ = !events.empty();
  for (auto& event : events) std::visit([this](auto& e) { on(e); }, event);
}

void host_actor::expire() {
  for_each_part([this](part& p) {
    if (auto due = p.core.deadline(); due && *due <= now_) step(p, tick{});
  });
  if (auto due = arrivals_.deadline(); due && *due <= now_) let_arrive();
  expire_join();
  if (hand_back_at_ <= now_) {
    hand_back_at_ = never;
    caf::anon_send(this, end_now::value);
  }
}

std::optional<time_point> host_actor::deadline() const {
  auto earliest = std::min({star_until_, hand_back_at_, failure_until_});
  auto consider = [&](std::optional<time_point> due) {
    earliest = std::min(earliest, due.value_or(never));
  };
  consider(over_->deadline());
  if (gathering_) consider(gathering_->core.deadline());
  if (current_) consider(current_->core.deadline());
  for (const auto& [name, p] : groups_) consider(p.core.deadline());
  consider(arrivals_.deadline());
  if (joined_) consider(meet_.deadline());
  return earliest == never ? std::nullopt : std::optional(earliest);
}

int host_actor::descriptor() const { return over_->descriptor(); }

// ---- effects out

void host_actor::step(part& p, collective_input input) {
  auto effects = p.core.step(now_, std::move(input));
  for (auto& effect : effects) std::visit([&](auto& e) { carry_out(p, e); }, effect);
}

void host_actor::carry_out(part&, ignored& e) { ignore(e.why); }

void host_actor::carry_out(part& p, muster::send& e) {
  transmit(e.to, lane::control, encode({p.number, e.decided_through, std::move(e.body), p.group}));
}

void host_actor::transmit(rank to, lane on, encoded what) {
  switch (outbox_.send(*over_, to, on, std::move(what))) {
    case outbox::outcome::sent:
    case outbox::outcome::queued: return;
    case outbox::outcome::no_link: return;  // a core says its state again when the link is up
    case outbox::outcome::too_large: return ignore("a message beyond the transport's limits");
    case outbox::outcome::overflow:
      ignore("a full outbox: the link is made again");
      links_.remake(now_, to);
      return for_each_part([&](part& any) {
        if (any.has_neighbour(to)) step(any, peer_disconnected{to});
      });
  }
}

void host_actor::carry_out(part& p, release& e) {
  if (gathering_ && &p == &*gathering_) return on_join_verdict(e.outcome, e.result);
  end_move(p, e);
  if (e.key == leave_key && !p.group.empty()) return;  // the world's leave is the call
  if (e.key == leave_key && e.outcome.ok()) left_ = true;
  finish_call(e.ticket, e.outcome, std::move(e.result));
}

void host_actor::carry_out(part& p, fold& e) {
  fold_on_device({std::move(e.said), e.finish, std::move(e.inputs), {}},
                 [this, number = p.number, group = p.group, id = e.fold_id](status outcome,
                                                                            contribution result) {
                   if (auto* asked = find_part(number, group))
                     step(*asked, folded{id, std::move(outcome), std::move(result)});
                 });
}

void host_actor::fold_on_device(fold_partials what,
                                std::function<void(status, contribution)> answer) {
  request(config_.devices.front(), caf::infinite, std::move(what))
      .then(
          [this, answer](fold_done& d) {
            after_sender();
            advance_time();
            answer(std::move(d.outcome), std::move(d.result));
          },
          [this, answer](caf::error&) {
            advance_time();
            answer(error(status_code::device_error,
                         "device 0 of this host has ended; it folds what hosts contribute"),
                   {});
          });
}

void host_actor::carry_out(part& p, report_stalled& e) {
  if (gathering_ && &p == &*gathering_) {
    if (joined_ && config_.observer.joining) config_.observer.joining(to_string(e.report));
  } else if (config_.observer.stalled) {
    config_.observer.stalled(e.report);
  }
}

void host_actor::carry_out(part&, fence& e) {
  if (std::exchange(fenced_, true)) return;
  links_.hang_up_all();
  for_each_part([&](part& any) {
    any.moves.clear();
    step(any, give_up{e.why});
  });
  if (config_.observer.fenced) config_.observer.fenced(e.why);
}

void host_actor::carry_out(part& p, depart&) {
  if (!current_ || &p != &*current_) return;
  departed_ = true;
  if (hand_back_at_ != never) hand_back_at_ = now_;
}

// ---- ends

void host_actor::finish_call(ticket which, const status& outcome, contribution result) {
  auto call = calls_.extract(which);
  if (call.empty()) return ignore("the end of a call that has ended already");
  call.mapped().done(outcome, std::move(result));
}

void host_actor::end_calls(const status& why) {
  if (auto joined = std::exchange(joined_, {})) joined(why, {});
  for (auto& [which, ended] : std::exchange(calls_, {})) ended.done(why, {});
}

void host_actor::hand_back() {
  if (auto handed_back = std::exchange(handed_back_, {})) handed_back(over_);
}

}  // namespace muster
