// What parent and children say, and how an open operation moves on at one node.
#include <algorithm>
#include <utility>

#include <muster/actors/protocols/collective_state.hpp>

namespace muster {
namespace {

using child_phase = instance::child_state::phase;

/// The operation that a child's message speaks about, if its staleness is a question of that operation.
const operation_key* key_of(const message& m) {
  if (const auto* o = std::get_if<opened>(&m)) return &o->key;
  if (const auto* c = std::get_if<complete>(&m)) return &c->key;
  if (const auto* c = std::get_if<closed>(&m)) return &c->key;
  if (const auto* f = std::get_if<fail>(&m)) return &f->key;
  if (const auto* d = std::get_if<delivered>(&m)) return &d->key;
  return nullptr;
}

/// Of these ranks, each at most once, in their order.
bool are_of(const std::vector<held_part>& held, const rank_set& ranks) {
  for (std::size_t i = 0; i < held.size(); ++i)
    if (!ranks.contains(held[i].of) || (i > 0 && !(held[i - 1].of < held[i].of))) return false;
  return true;
}

}  // namespace

// ---- from children

bool collective::state::ignore_child_message(std::size_t child, const received& r) {
  if (r.decided_through > log.applied()) {
    ignore("a child that knows of verdicts which do not exist");
    return true;
  }
  if (r.decided_through < log.acknowledged_by(child)) {
    ignore("older than what the child has said since");
    return true;
  }
  log.acknowledge(child, r.decided_through);
  if (leave_number.value != 0 && log.acknowledged_by_all(leave_number)) become_departed();
  const auto* key = key_of(r.body);
  if (key && log.decided_after(*key, r.decided_through)) {
    ignore("about an operation that was decided after what the child knows");
    return true;
  }
  return false;
}

void collective::state::on_child(std::size_t child, const opened& o) {
  auto* i = open(o.key);
  if (!i) return ignore("too many open operations");
  auto& c = i->children[child];
  i->shorten(now, o.remaining);
  if (c.at == child_phase::silent) c.at = child_phase::opened;
  for (const auto& s : o.said) {
    const auto ranks = s.ranks.intersection(tree.children[child].ranks);
    i->said.add(s.said, ranks);
    c.heard.merge(ranks);
  }
  advance(*i);
}

void collective::state::on_child(std::size_t child, const complete& c) {
  if (c.contribution.parts.size() > c.contribution.frames.size())
    return ignore("parts without frames");
  if (!are_of(c.contribution.held, tree.children[child].ranks))
    return ignore("data held by ranks that are not below that child");
  auto* i = open(c.key);
  if (!i) return ignore("too many open operations");
  auto& from = i->children[child];
  if (from.at == child_phase::complete) return ignore("said twice");
  from.at = child_phase::complete;
  from.given = c.contribution;
  i->shorten(now, c.remaining);
  i->said.add(c.said, c.said.members.empty()
                          ? tree.children[child].ranks
                          : tree.children[child].ranks.intersection(c.said.members));
  advance(*i);
}

void collective::state::on_child(std::size_t child, const closed& c) {
  const auto it = instances.find(c.key);
  if (it == instances.end()) return ignore("an answer about an operation that is not open");
  auto& i = it->second;
  i.children[child].heard.merge(c.arrived.intersection(tree.children[child].ranks));
  if (c.final && c.ask == i.ask) i.children[child].answered = true;
  advance(i);
}

void collective::state::on_child(std::size_t child, const intents& report, verdict_number knows) {
  for (const auto& wait : report.waits) {
    const auto it = instances.find(wait.key);
    if (it == instances.end() || log.decided_after(wait.key, knows)) continue;
    auto& i = it->second;
    i.children[child].heard.merge(wait.ranks.intersection(tree.children[child].ranks));
    if (wait.oldest > now - i.opened_at && wait.oldest <= now.time_since_epoch())
      i.opened_at = now - wait.oldest;
  }
}

void collective::state::on_child(std::size_t, const fail& f) {
  if (f.cause.ok()) return ignore("a failure without a cause");
  auto* i = open(f.key);  // an abort may come before anyone has called
  if (!i) return ignore("too many open operations");
  if (i->failure) return ignore("a later failure; the first one is the cause");
  if (i->said.list().empty()) i->abort_members = f.members;
  fail_here(*i, f.cause);
}

void collective::state::on_child(std::size_t child, const behind& b) {
  if (!tree.children[child].contains(b.who))
    return ignore("news of a rank that is not below that child");
  behind_of[b.who] = b;
  if (!tree.is_root()) return send_up(b);
  std::vector<operation_key> keys;
  for (const auto& [key, i] : instances) keys.push_back(key);
  for (const auto& key : keys)
    if (const auto it = instances.find(key); it != instances.end()) advance(it->second);
}

void collective::state::on_child(std::size_t child, const delivered& d) {
  const auto it = instances.find(d.key);
  if (it == instances.end() || it->second.at != instance::phase::moving)
    return ignore("delivered data of an operation whose data does not move");
  it->second.children[child].delivered = true;
  check_delivered(it->second);
}

// ---- from the parent

void collective::state::on_parent(const proceed& p) {
  const auto it = instances.find(p.key);
  if (it == instances.end() || it->second.at != instance::phase::reported || !it->second.local)
    return ignore("an order to move data that is moving, or is not complete here");
  if (!are_of(p.held, tree.everyone)) return ignore("an order to move data of ranks out of order");
  begin_move(it->second, p.held);
}

void collective::state::on_parent(const verdict& v) {
  if (v.number <= log.applied()) return ignore("a verdict that is applied");
  if (v.number.value != log.applied().value + 1) return ignore("a verdict out of order");
  apply(v);
}

void collective::state::on_parent(const close& c) {
  auto* i = open(c.key);
  if (!i) return ignore("too many open operations");
  i->close_reason = instance::closing::deadline;
  i->ask = c.ask;
  i->answered_finally = false;
  // Each level answers sooner than the one above, so that a silent node costs only its own subtree.
  i->answer_at = after(now, options.settle / (std::int64_t{1} << std::min(tree.depth, 20u)));
  for (std::size_t child = 0; child < children.size(); ++child) {
    i->children[child].answered = false;
    if (!i->settled(tree, child)) send_down(child, c);
  }
  if (i->everyone_answered(tree)) tell_closed(*i);
}

void collective::state::on_parent(const stalled& s) {
  for (std::size_t child = 0; child < children.size(); ++child) send_down(child, s);
  const auto it = instances.find(s.key);
  if (it != instances.end() && it->second.local) effects.push_back(report_stalled{s});
}

// ---- an open operation moves on

instance* collective::state::open(const operation_key& key) {
  const auto it = instances.find(key);
  if (it != instances.end()) return &it->second;
  if (instances.size() >= limits::open_operations_max) return nullptr;
  // The root has nobody to report to; it looks for waits that cross, which takes two.
  if (!tree.is_root() || !instances.empty())
    intents_at = std::min(intents_at, after(now, options.intents_interval));
  return &instances.emplace(key, instance(key, tree, now)).first->second;
}

void collective::state::advance(instance& i) {
  if (tree.is_root() && decide_at_once(i)) return;
  if (!tree.is_root() && i.close_reason != instance::closing::no && !i.answered_finally &&
      i.everyone_answered(tree))
    tell_closed(i);
  if (i.at == instance::phase::gathering && i.everyone_complete(tree) && !i.said.conflict())
    return combine(i);
  if (tree.is_root()) {
    if (i.close_reason != instance::closing::no && i.everyone_answered(tree)) return settle(i);
    return check_leavers();
  }
  if (i.at == instance::phase::gathering) tell_opened(i);
}

void collective::state::combine(instance& i) {
  const auto& said = i.said.common();
  const auto how = combiner_of(said.kind);
  if (said.kind != op_kind::join && i.holds_back(how)) {
    contribution all;
    all.held = i.all_held(tree);
    return report(i, std::move(all));
  }
  if (how != combiner::fold) return report(i, i.combine(how));
  i.at = instance::phase::folding;
  i.fold_id = ++last_fold;
  effects.push_back(fold{i.fold_id, said, tree.is_root(), i.contributions()});
}

void collective::state::report(instance& i, contribution combined) {
  const auto& said = i.said.common();
  if (combined.bytes() > limits::inline_result_bytes_max)
    return fail_here(i, error(status_code::resource_exhausted,
                              to_string(said) + ": the contributions together have more than " +
                                  std::to_string(limits::inline_result_bytes_max) + " bytes"));
  if (tree.is_root() && combiner_of(said.kind) == combiner::one && combined.frames.empty() &&
      combined.held.empty())
    return decide(i, error(status_code::mismatch, to_string(i.key) + ", " + to_string(said) +
                                                      ": no host is the source; exactly one is"));
  if (tree.is_root() && !combined.held.empty()) return begin_move(i, std::move(combined.held));
  if (tree.is_root()) return decide(i, {}, std::move(combined));
  i.at = instance::phase::reported;
  i.combined = std::move(combined);
  send_up(complete{i.key, i.remaining(now), i.said.common(), i.combined});
}

void collective::state::begin_move(instance& i, std::vector<held_part> held) {
  i.at = instance::phase::moving;
  i.held = std::move(held);
  for (std::size_t child = 0; child < children.size(); ++child) {
    auto& c = i.children[child];
    c.heard = {};
    c.answered = false;
    c.given = {};
    send_down(child, proceed{i.key, i.held});
  }
  effects.push_back(move_data{i.local->ticket, i.key, i.said.common(), i.held});
}

void collective::state::check_delivered(instance& i) {
  if (!i.everyone_delivered(tree)) return advance(i);
  if (tree.is_root()) return decide(i, {});
  if (i.delivered_told) return;
  i.delivered_told = true;
  send_up(delivered{i.key});
}

void collective::state::tell_opened(instance& i) {
  const bool leaves = i.key == operation_key(named_key{op_kind::leave, ""});
  auto heard = i.heard(tree);
  const bool news = !i.opened_told || i.hard_at < i.hard_told || i.soft_at < i.soft_told ||
                    i.said.conflict() || (leaves && heard != i.intents_told);
  if (!news || i.said.list().empty()) return;
  i.opened_told = true;
  i.hard_told = i.hard_at;
  i.soft_told = i.soft_at;
  if (leaves) i.intents_told = std::move(heard);
  send_up(opened{i.key, i.remaining(now), i.said.list()});
}

void collective::state::tell_closed(instance& i) {
  i.answer_at = never;
  i.answered_finally = i.everyone_answered(tree);
  send_up(closed{i.key, i.heard(tree), i.answered_finally, i.ask});
}

void collective::state::tell_behind() {
  auto mine = untaken.limits_reached(options.self);
  auto& told =
      behind_of.try_emplace(options.self, behind{options.self, {}, false, false}).first->second;
  if (mine == told) return;
  told = mine;
  if (!tree.is_root()) send_up(std::move(mine));
}

void collective::state::say_again_to_parent() {
  send_up(acknowledge{});
  // First, as it was: what was asked to fail before its member arrived, here or elsewhere, does not succeed.
  for (const auto& [key, i] : instances)
    if (i.failure) send_up(fail{key, *i.failure, i.members()});
  for (auto& [key, i] : instances) {
    if (i.at == instance::phase::reported) {
      send_up(complete{key, i.remaining(now), i.said.common(), i.combined});
    } else if (i.at == instance::phase::moving) {
      if (i.delivered_told) send_up(delivered{key});
    } else {
      i.opened_told = false;
      i.intents_told = {};
      tell_opened(i);
    }
    if (i.close_reason != instance::closing::no && i.answer_at == never) tell_closed(i);
  }
  for (const auto& [who, b] : behind_of) send_up(b);
}

void collective::state::say_again_to_child(std::size_t child) {
  // First, as it was: when a host hears of an operation's end, data of all earlier ones has begun to move there.
  for (const auto& [key, i] : instances)
    if (i.at == instance::phase::moving && !i.children[child].delivered)
      send_down(child, proceed{key, i.held});
  for (const auto* v : log.unacknowledged_by(child)) send_verdict(child, *v);
  for (const auto& [key, i] : instances)
    if (i.close_reason != instance::closing::no && !i.settled(tree, child) &&
        !i.children[child].answered)
      send_down(child, close{key, i.ask});
}

void collective::state::apply(const verdict& v) {
  log.append(v);
  for (std::size_t child = 0; child < children.size(); ++child) send_verdict(child, v);
  std::optional<instance::local_arrival> local;
  if (const auto it = instances.find(v.key); it != instances.end()) {
    local = std::move(it->second.local);
    instances.erase(it);
  }
  const bool leave = v.key == operation_key(named_key{op_kind::leave, ""});
  if (local) {
    waiters.erase(local->ticket);
    const bool ours = !v.only_for || *v.only_for == options.self;
    effects.push_back(release{local->ticket, v.key, v.outcome, ours ? v.result : contribution{}});
  } else if (v.counts && (v.members.empty() || v.members.contains(options.self))) {
    untaken.add(v.key, v.outcome);
    tell_behind();
  }
  if (leave && !v.outcome.ok()) leaving = false;
  if (leave && v.outcome.ok()) {
    leave_number = v.number;
    depart_at = after(now, options.lease);
    if (!tree.is_root()) send_up(acknowledge{});
    if (log.acknowledged_by_all(leave_number)) become_departed();
    return;
  }
  if (tree.is_root() || told_through == log.applied()) return;
  if (log.applied().value - told_through.value >= limits::unacknowledged_max)
    send_up(acknowledge{});
  else
    acknowledge_at = std::min(acknowledge_at, after(now, limits::acknowledge_delay));
}

void collective::state::send_up(message m) {
  if (!tree.parent) return;
  told_through = log.applied();
  acknowledge_at = never;
  effects.push_back(send{*tree.parent, told_through, std::move(m)});
}

/// A result that one rank alone gets goes only where that rank is.
void collective::state::send_verdict(std::size_t child, const verdict& v) {
  if (!v.only_for || tree.children[child].contains(*v.only_for)) return send_down(child, v);
  verdict without = v;
  without.result = {};
  send_down(child, std::move(without));
}

void collective::state::send_down(std::size_t child, message m) {
  effects.push_back(send{children[child], {}, std::move(m)});
}

}  // namespace muster
