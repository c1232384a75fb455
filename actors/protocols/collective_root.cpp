// What only the root does: decide, close at the hard deadline, report stalls, notice leavers.
#include <algorithm>
#include <utility>

#include <muster/actors/protocols/collective_state.hpp>
#include <muster/messages/values/outline.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {
namespace {

const operation_key leave_key = named_key{op_kind::leave, ""};

}  // namespace

bool collective::state::decide_at_once(instance& i) {
  const auto straggler = straggler_for(i.key);
  if (i.failure) {
    // Aborts that nobody calls for leave outcomes, too; beyond what is kept they are told to who waits, and forgotten.
    decide(i, *i.failure, {}, !straggler || std::holds_alternative<ordered_key>(i.key));
    return true;
  }
  if (i.said.conflict() && !(hears_everyone_first(i) && !missing(i).empty())) {
    decide(i, mismatch_status(i));
    return true;
  }
  if (straggler) {
    auto text = "rank " + std::to_string(straggler->value) +
                " has not taken the outcomes of earlier operations; " +
                std::to_string(limits::untaken_rounds_max) + " of one name are kept";
    auto outcome = error(status_code::straggler_behind, std::move(text));
    outcome.absences.push_back({rank_set{*straggler}, absence::state::not_arrived, {}, {}});
    decide(i, std::move(outcome), {}, std::holds_alternative<ordered_key>(i.key));
    return true;
  }
  return false;
}

/// Whether only trees differ that are compared for their values: who else differs is worth the wait, since all come.
bool collective::state::hears_everyone_first(const instance& i) const {
  const auto& list = i.said.list();
  if (list.size() == limits::statements_max) return false;  // more would not be told apart
  return std::all_of(list.begin(), list.end(), [&](const statement& s) {
    auto like_first = s.said;
    like_first.outline = list.front().said.outline;
    return s.said.kind == op_kind::assert_equal && like_first == list.front().said;
  });
}

rank_set collective::state::missing(const instance& i) const {
  return i.expected(tree.ranks).minus(i.heard(tree));
}

void collective::state::decide(instance& i, status outcome, contribution result, bool counts) {
  // Copied: applying the verdict destroys the instance.
  const auto only_for =
      outcome.ok() && !i.said.list().empty() ? i.said.common().target : std::nullopt;
  const verdict v{{log.applied().value + 1},
                  i.key,
                  std::move(outcome),
                  counts,
                  std::move(result),
                  i.members(),
                  only_for};
  apply(v);
}

void collective::state::begin_close(instance& i, instance::closing why) {
  i.close_reason = why;
  if (why == instance::closing::leavers) i.leavers_checked = leavers();
  i.answer_at = after(now, options.settle);
  ++i.ask;
  for (std::size_t child = 0; child < children.size(); ++child) {
    i.children[child].answered = false;
    if (!i.settled(tree, child)) send_down(child, close{i.key, i.ask});
  }
  if (i.all_arrived || i.everyone_answered(tree)) settle(i);
}

/// All have answered, or the time for answers is over.
void collective::state::settle(instance& i) {
  const auto absent = missing(i);
  if (i.said.conflict()) return decide(i, mismatch_status(i));
  const auto why = std::exchange(i.close_reason, instance::closing::no);
  i.answer_at = never;
  if (absent.empty() && !i.all_arrived) {
    // A success as soon as what is in flight or being combined is here; it has half a lease for that.
    i.all_arrived = true;
    i.soft_at = never;
    i.hard_at = after(std::max(now, i.hard_at == never ? now : i.hard_at), options.lease / 2);
    return;
  }
  if (why == instance::closing::deadline) return decide(i, deadline_status(i));
  const auto gone = absent.intersection(i.leavers_checked);
  if (gone.empty()) return;
  auto outcome =
      error(status_code::left, to_string(i.key) + ": a rank that was waited for has left");
  outcome.absences.push_back({gone, absence::state::left, {}, {}});
  decide(i, std::move(outcome));
}

rank_set collective::state::leavers() const {
  const auto it = instances.find(leave_key);
  return it == instances.end() ? rank_set{} : it->second.heard(tree);
}

/// Whoever waits for a rank that waits in leave fails at once: exact arrivals tell whether it is waited for.
void collective::state::check_leavers() {
  const auto gone = leavers();
  if (gone.empty()) return;
  std::vector<operation_key> keys;
  for (const auto& [key, i] : instances)
    if (key != leave_key && i.close_reason == instance::closing::no &&
        i.at == instance::phase::gathering && !gone.minus(i.leavers_checked).empty())
      keys.push_back(key);
  for (const auto& key : keys)
    if (const auto it = instances.find(key); it != instances.end())
      begin_close(it->second, instance::closing::leavers);
}

void collective::state::report_stall(instance& i) {
  // Ever more rarely: each report doubles the time to the next.
  if (i.stall_interval == duration::zero())
    i.stall_interval = std::max<duration>(now - i.opened_at, options.settle);
  i.soft_at = after(now, i.stall_interval);
  i.stall_interval *= 2;
  tell_stalled(i);
}

void collective::state::tell_stalled(const instance& i) {
  const auto heard = i.heard(tree);
  const auto absent = i.expected(tree.ranks).minus(heard);
  const stalled report{i.key,
                       static_cast<std::uint32_t>(heard.size()),
                       static_cast<std::uint32_t>(i.expected(tree.ranks).size()),
                       locate(absent, i, instances, tree, unreachable, now),
                       now - i.opened_at,
                       i.at == instance::phase::moving};
  for (std::size_t child = 0; child < children.size(); ++child) send_down(child, report);
  if (i.local) effects.push_back(report_stalled{report});
}

/// Two named operations whose members wait for each other, each in the one that the other lacks: told at once, since
/// waiting does not help. Once per operation. Only the oldest are looked at, which bounds the work.
void collective::state::report_crossed() {
  std::vector<instance*> waiting;
  for (auto& [key, i] : instances)
    if (std::holds_alternative<named_key>(key) && key != leave_key &&
        i.at == instance::phase::gathering && i.close_reason == instance::closing::no &&
        now - i.opened_at >= options.intents_interval)
      waiting.push_back(&i);
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](const auto* a, const auto* b) { return a->opened_at < b->opened_at; });
  if (waiting.size() > limits::intents_max) waiting.resize(limits::intents_max);
  for (auto* i : waiting)
    for (auto* other : waiting) {
      if (i == other || i->crossing_told) continue;
      const auto lacked = missing(*i), lacked_there = missing(*other);
      // Who is missing here waits there, and for somebody who waits here.
      if (lacked.empty() || !lacked.minus(other->heard(tree)).empty() ||
          lacked_there.intersection(i->heard(tree)).empty())
        continue;
      i->crossing_told = true;
      tell_stalled(*i);
    }
}

std::optional<rank> collective::state::straggler_for(const operation_key& key) const {
  if (key == leave_key) return std::nullopt;
  for (const auto& [who, b] : behind_of) {
    if (b.everything) return who;
    if (std::holds_alternative<ordered_key>(key)
            ? b.ordered
            : std::find(b.names.begin(), b.names.end(), key) != b.names.end())
      return who;
  }
  return std::nullopt;
}

status collective::state::deadline_status(const instance& i) const {
  const auto heard = i.heard(tree);
  const auto count =
      std::to_string(heard.size()) + " of " + std::to_string(i.expected(tree.ranks).size());
  const auto time = to_string(now - i.opened_at);
  auto out = error(status_code::deadline_exceeded,
                   to_string(i.key) + ": " +
                       (i.at == instance::phase::moving
                            ? "all ranks arrived, and " + count + " had their data within " + time
                            : count + " ranks arrived within " + time) +
                       (i.all_arrived ? "; the contributions were still being combined" : ""));
  out.absences = locate(i.expected(tree.ranks).minus(heard), i, instances, tree, unreachable, now);
  return out;
}

status collective::state::mismatch_status(const instance& i) const {
  auto out = error(status_code::mismatch, to_string(i.key) + ": the members said different things");
  out.statements = i.said.list();
  if (auto how = explain_differences(out.statements); !how.empty()) out.text += ": " + how;
  // What differs between the trees is said; the outlines themselves would travel to every host.
  std::vector<statement> merged;
  for (auto& s : out.statements) {
    s.said.outline = {};
    const auto same = std::find_if(merged.begin(), merged.end(),
                                   [&](const statement& m) { return m.said == s.said; });
    if (same == merged.end())
      merged.push_back(std::move(s));
    else
      same->ranks.merge(s.ranks);
  }
  out.statements = std::move(merged);
  out.unheard = missing(i);
  return out;
}

}  // namespace muster
