#include <muster/actors/protocols/collective.hpp>

#include <algorithm>
#include <utility>

#include <muster/actors/protocols/collective_state.hpp>
#include <muster/messages/values/ensure.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {
namespace {

std::vector<rank> heads_of(const tree_shape& tree) {
  std::vector<rank> out;
  for (const auto& b : tree.children) out.push_back(b.head);
  return out;
}

}  // namespace

collective::state::state(collective_options o, time_point start)
    : options(o),
      tree(tree_shape::of(
          o.self, o.group.empty() ? rank_set::of_range(rank{0}, rank{o.world_size - 1}) : o.group,
          o.fan_out)),
      children(heads_of(tree)),
      log(tree.children.size()),
      now(start) {}

collective::collective(collective_options options, time_point now)
    : state_(std::make_unique<state>(options, now)) {}
collective::~collective() = default;
collective::collective(collective&&) noexcept = default;
collective& collective::operator=(collective&&) noexcept = default;

collective_effects collective::step(time_point now, collective_input input) {
  auto& s = *state_;
  ensure(now >= s.now, "time does not go back for a core");
  s.now = now;
  s.effects = {};
  if (!s.is_fenced) s.expire();
  std::visit([&](auto& in) { s.on(in); }, input);
  return std::exchange(s.effects, {});
}

std::optional<time_point> collective::deadline() const { return state_->deadline(); }
const rank_set& collective::members() const { return state_->tree.everyone; }
std::optional<rank> collective::parent() const { return state_->tree.parent; }
const std::vector<rank>& collective::children() const { return state_->children; }
bool collective::fenced() const { return state_->is_fenced; }
bool collective::leaving() const { return state_->leaving; }
verdict_number collective::decided_through() const { return state_->log.applied(); }

collective::sizes collective::table_sizes() const {
  const auto& s = *state_;
  return {s.instances.size(), s.log.size(), s.untaken.size(), s.waiters.size()};
}

void collective::check_invariants() const {
  const auto& s = *state_;
  ensure(s.told_through <= s.log.applied(), "C1: nobody is told of a verdict that is not applied");
  for (const auto& [t, key] : s.waiters) {
    const auto it = s.instances.find(key);
    ensure(it != s.instances.end() && it->second.local && it->second.local->ticket == t,
           "C2: every waiter waits in exactly one open operation");
  }
  ensure(!s.is_fenced || s.waiters.empty(), "C3: a fenced host has no waiter");
  for (const auto& [key, i] : s.instances) {
    ensure(i.at == instance::phase::gathering || i.everyone_complete(s.tree),
           "C4: nothing is combined or reported before the whole subtree has arrived");
    ensure(!s.tree.is_root() || i.at != instance::phase::reported,
           "C5: the root decides what is complete");
  }
}

// ---- time

std::optional<time_point> collective::state::deadline() const {
  if (is_fenced) return std::nullopt;
  time_point at = std::min({acknowledge_at, intents_at, depart_at});
  for (const auto& [key, i] : instances) {
    if (tree.is_root() && i.close_reason == instance::closing::no)
      at = std::min({at, i.soft_at, i.hard_at});
    at = std::min(at, i.answer_at);
    if (i.local) at = std::min(at, i.local->fence_at);
  }
  if (at == never) return std::nullopt;
  return at;
}

void collective::state::expire() {
  const auto due = [this](const instance& i) {
    const bool decides = tree.is_root() && i.close_reason == instance::closing::no;
    return (i.local && i.local->fence_at <= now) || i.answer_at <= now ||
           (decides && std::min(i.hard_at, i.soft_at) <= now);
  };
  std::vector<operation_key>
      keys;  // copied, since what follows removes instances; few are ever due
  for (const auto& [key, i] : instances)
    if (due(i)) keys.push_back(key);
  for (const auto& key : keys) {
    const auto it = instances.find(key);
    if (it == instances.end()) continue;
    auto& i = it->second;
    if (i.local && i.local->fence_at <= now)
      return become_fenced(to_string(key) + ": no verdict within the hard deadline and a lease");
    if (i.answer_at <= now) {
      if (tree.is_root())
        settle(i);
      else
        tell_closed(i);
    } else if (tree.is_root() && i.close_reason == instance::closing::no) {
      if (i.hard_at <= now)
        begin_close(i, instance::closing::deadline);
      else if (i.soft_at <= now)
        report_stall(i);
    }
  }
  if (intents_at <= now) {
    intents_at = never;
    if (tree.is_root()) report_crossed();
    auto news = report_intents(instances, tree, now, options.intents_interval);
    if (!news.waits.empty()) send_up(std::move(news));
    const auto incomplete = std::count_if(instances.begin(), instances.end(), [](const auto& e) {
      return e.second.at == instance::phase::gathering;
    });
    if (incomplete > (tree.is_root() ? 1 : 0)) intents_at = after(now, options.intents_interval);
  }
  if (acknowledge_at <= now) send_up(acknowledge{});
  if (depart_at <= now) become_departed();
}

// ---- the local member

std::optional<status> collective::state::refusal(const arrive& a) const {
  const auto& said = a.said;
  const bool long_name = said.name.size() > limits::name_bytes_max;
  const auto what = (long_name ? std::string(to_string(said.kind)) : to_string(said)) + ": ";
  if (is_fenced)
    return error(status_code::unknown,
                 what + "this host is fenced and takes no part until it joins again");
  if (departed || leaving) return error(status_code::left, what + "this host has called leave");
  if (long_name)
    return error(status_code::invalid_argument,
                 what + "the name has " + std::to_string(said.name.size()) + " bytes; at most " +
                     std::to_string(limits::name_bytes_max) + " are allowed");
  if (waiters.size() >= limits::pending_operations_max)
    return error(status_code::resource_exhausted,
                 what + std::to_string(waiters.size()) + " operations are pending here; at most " +
                     std::to_string(limits::pending_operations_max) + " are allowed");
  const bool partials = combiner_of(said.kind) == combiner::fold;
  const auto most = partials ? limits::inline_result_bytes_max : limits::inline_bytes_max;
  if (a.contribution.bytes() > most)
    return error(status_code::resource_exhausted,
                 what + "the contribution has " + std::to_string(a.contribution.bytes()) +
                     " bytes; at most " + std::to_string(most) + " travel inline");
  if (said.outline.size() > limits::outline_bytes_max)
    return error(status_code::resource_exhausted,
                 what + "the tree's outline has " + std::to_string(said.outline.size()) +
                     " bytes; at most " + std::to_string(limits::outline_bytes_max) +
                     " are allowed");
  if (const auto unknown = said.members.minus(tree.everyone); !unknown.empty())
    return error(status_code::invalid_argument, what + "its members name " + to_string(unknown) +
                                                    "; ranks are " + to_string(tree.everyone));
  if (!said.members.empty() && !said.members.contains(options.self))
    return error(status_code::invalid_argument,
                 what + "rank " + to_string(options.self) + " is not one of its members");
  for (const auto& [who, is] : {std::pair(said.source, "source"), std::pair(said.target, "target")})
    if (who && !tree.everyone.contains(*who))
      return error(status_code::invalid_argument, what + is + " " + to_string(*who) +
                                                      " is not one of the ranks " +
                                                      to_string(tree.everyone));
  if (combiner_of(said.kind) == combiner::one &&
      (said.source == options.self) ==
          (a.contribution.frames.empty() && a.contribution.held.empty()))
    return error(status_code::invalid_argument,
                 what + "rank " + to_string(options.self) +
                     (said.source == options.self ? " is the source and gives nothing"
                                                  : " gives something and is not the source"));
  if (is_named(said.kind)) {
    const auto it = instances.find(named_key{said.kind, said.name});
    if (it != instances.end() && it->second.local)
      return error(status_code::invalid_argument,
                   what + "already pending on this host; one call per name");
  }
  return std::nullopt;
}

void collective::state::on(arrive& a) {
  if (auto why = refusal(a)) {
    effects.push_back(release{a.ticket, {}, std::move(*why), {}});
    return;
  }
  operation_key key = ordered_key{sequence + 1};
  if (is_named(a.said.kind))
    key = named_key{a.said.kind, a.said.kind == op_kind::leave ? "" : a.said.name};
  else
    ++sequence;
  if (auto missed = untaken.take(key)) {
    effects.push_back(release{a.ticket, key, std::move(*missed), {}});
    return tell_behind();
  }
  auto* i = open(key);
  if (!i) {
    effects.push_back(release{
        a.ticket,
        key,
        error(status_code::resource_exhausted, to_string(key) + ": too many operations are open"),
        {}});
    return;
  }
  if (a.said.kind == op_kind::leave) leaving = true;
  i->shorten(now, a.remaining);
  i->said.add(a.said, rank_set{options.self});
  i->local = instance::local_arrival{
      a.ticket, after(after(now, std::max(a.remaining.hard, duration::zero())), options.lease),
      std::move(a.contribution)};
  waiters.emplace(a.ticket, key);
  advance(*i);
}

void collective::state::on(const cancel& c) {
  const auto it = waiters.find(c.ticket);
  if (it == waiters.end()) return ignore("cancel of a call that is not pending");
  auto& i = instances.at(it->second);
  if (i.failure) return ignore("the operation is already asked to fail");
  fail_here(i, c.cause);
}

void collective::state::on(const abort_operation& a) {
  if (is_fenced || departed) return ignore("an abort at a host that takes no part any more");
  auto* i = open(a.key);
  if (!i) return ignore("too many open operations");
  if (i->failure) return ignore("the operation is already asked to fail");
  if (i->said.list().empty()) i->abort_members = a.members;
  fail_here(*i, a.cause);
}

void collective::state::on(const give_up& g) {
  if (!is_fenced) become_fenced(g.why);
}

/// Asks for the operation to fail everywhere; the first cause counts.
void collective::state::fail_here(instance& i, status cause) {
  if (!i.failure) {
    i.failure = std::move(cause);
    if (!tree.is_root()) send_up(fail{i.key, *i.failure, i.members()});
  }
  advance(i);
}

void collective::state::on(folded& f) {
  const auto it = std::find_if(instances.begin(), instances.end(), [&](const auto& e) {
    return e.second.at == instance::phase::folding && e.second.fold_id == f.fold_id;
  });
  if (it == instances.end()) return ignore("a fold of an operation that is decided");
  auto& i = it->second;
  if (f.outcome.ok()) return report(i, std::move(f.contribution));
  fail_here(i, f.outcome);
}

void collective::state::on(const moved& m) {
  const auto it = instances.find(m.key);
  if (it == instances.end() || it->second.at != instance::phase::moving)
    return ignore("moved data of an operation that is decided");
  auto& i = it->second;
  if (!m.outcome.ok()) return fail_here(i, m.outcome);
  i.local_delivered = true;
  check_delivered(i);
}

void collective::state::become_fenced(const std::string& why) {
  is_fenced = true;
  for (const auto& [t, key] : std::exchange(waiters, {})) {
    auto text =
        to_string(key) + ": the verdict could not be learned; this host is fenced (" + why + ")";
    effects.push_back(release{t, key, error(status_code::unknown, std::move(text)), {}});
  }
  instances.clear();
  effects.push_back(fence{why});
}

void collective::state::become_departed() {
  if (departed) return;
  departed = true;
  depart_at = never;
  effects.push_back(depart{});
}

// ---- links

void collective::state::on(const peer_connected& p) {
  if (is_fenced) return ignore("fenced");
  if (tree.parent == p.peer) return say_again_to_parent();
  if (const auto child = tree.child_index(p.peer)) {
    unreachable = unreachable.minus(tree.children[*child].ranks);
    return say_again_to_child(*child);
  }
  ignore("a link to a rank that is no neighbour in the tree");
}

void collective::state::on(const peer_disconnected& p) {
  if (const auto child = tree.child_index(p.peer))
    return unreachable.merge(tree.children[*child].ranks);
  if (tree.parent != p.peer) ignore("a link to a rank that is no neighbour in the tree");
}

void collective::state::on(const received& r) {
  if (is_fenced) return ignore("fenced");
  if (tree.parent == r.from) {
    if (const auto* v = std::get_if<verdict>(&r.body)) return on_parent(*v);
    if (const auto* c = std::get_if<close>(&r.body)) return on_parent(*c);
    if (const auto* s = std::get_if<stalled>(&r.body)) return on_parent(*s);
    if (const auto* p = std::get_if<proceed>(&r.body)) return on_parent(*p);
    return ignore("a message up from the parent");
  }
  const auto child = tree.child_index(r.from);
  if (!child) return ignore("a message from a rank that is no neighbour in the tree");
  if (ignore_child_message(*child, r)) return;
  if (const auto* o = std::get_if<opened>(&r.body)) return on_child(*child, *o);
  if (const auto* c = std::get_if<complete>(&r.body)) return on_child(*child, *c);
  if (const auto* c = std::get_if<closed>(&r.body)) return on_child(*child, *c);
  if (const auto* w = std::get_if<intents>(&r.body)) return on_child(*child, *w, r.decided_through);
  if (const auto* f = std::get_if<fail>(&r.body)) return on_child(*child, *f);
  if (const auto* b = std::get_if<behind>(&r.body)) return on_child(*child, *b);
  if (const auto* d = std::get_if<delivered>(&r.body)) return on_child(*child, *d);
  if (std::holds_alternative<acknowledge>(r.body)) return;
  ignore("a message down from a child");
}

}  // namespace muster
