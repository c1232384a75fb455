#include <muster/tests/protocols/virtual_cluster.hpp>

#include <algorithm>
#include <span>

#include <muster/messages/values/leaves.hpp>

namespace muster::testing {
namespace {

/// A contribution that says which rank gave it, so that results can be told right or wrong.
contribution given_by(rank self, const program_step& s, std::uint32_t hosts) {
  if (s.kind == op_kind::broadcast_one_to_all)
    return s.source == self
               ? contribution{{}, {payload::copy_of("from " + std::to_string(self.value))}}
               : contribution{};
  if (s.kind == op_kind::gather)
    return s.held && self.value % 2 == 0
               ? contribution{{}, {}, {{self, 1'000 + self.value, {}}}}
               : contribution{{}, {payload::copy_of("of " + std::to_string(self.value))}};
  if (s.kind != op_kind::all_reduce) return {};
  contribution out;
  for (const auto& part : cover_of_range(2 * hosts, 2 * self.value, 2 * self.value + 2)) {
    out.parts.push_back(part);
    out.frames.push_back(payload::copy_of("(" + std::to_string(part.first) + "+" +
                                          std::to_string(part.first + 1) + ")"));
  }
  return out;
}

signature signature_of(const program_step& s, std::uint32_t hosts) {
  signature out;
  out.kind = s.kind;
  out.name = s.name;
  if (s.kind == op_kind::broadcast_one_to_all) out.source = s.source;
  if (s.kind == op_kind::gather) out.target = s.source;
  out.members = s.members;
  if (s.kind == op_kind::all_reduce) {
    out.reduce = reduce_op::sum;
    out.dtype = dtype::f32;
    out.leaf_count = 2 * hosts;
  }
  return out;
}

}  // namespace

virtual_cluster::virtual_cluster(cluster_options options)
    : options_(options), random_(options.seed) {
  for (std::uint32_t r = 0; r < options.hosts; ++r) {
    collective_options core{rank{r}, options.hosts, options.fan_out, generation{1}, options.lease};
    members_.push_back({std::make_unique<collective>(core, now_), {}, {}, {}, false});
  }
  for (std::uint32_t r = 0; r < options.hosts; ++r)
    for (const auto child : members_[r].core->children())
      for (const auto& [from, to] : {std::pair{rank{r}, child}, std::pair{child, rank{r}}})
        at(now_ + random_.between(duration::zero(), options_.latency_max),
           [=, this] { connect(from, to); });
}

void virtual_cluster::at(time_point when, std::function<void()> what) {
  agenda_.emplace(std::pair{when, serial_++}, std::move(what));
}

void virtual_cluster::run_program(rank r, std::vector<program_step> steps,
                                  std::function<duration()> pause) {
  auto& m = members_[r.value];
  for (const auto& s : steps) {
    if (!s.members.empty()) members_of_[named_key{s.kind, s.name}] = s.members;
    if (s.members.empty() || s.members.contains(r)) m.program.push_back(s);
  }
  m.pause = std::move(pause);
  at(now_ + m.pause(), [=, this] { call_next(r); });
}

void virtual_cluster::run_until(time_point limit) {
  while (!agenda_.empty() && broken_.empty() && agenda_.begin()->first.first <= limit) {
    auto next = agenda_.extract(agenda_.begin());
    now_ = next.key().first;
    next.mapped()();
  }
  if (broken_.empty()) now_ = std::max(now_, limit);
}

void virtual_cluster::connect(rank from, rank to) {
  auto& l = links_[{from, to}];
  l.up = true;
  ++l.life;
  step(from, peer_connected{to});
}

void virtual_cluster::cut(rank from, rank to, duration how_long) {
  auto& l = links_[{from, to}];
  if (!l.up) return;
  l.up = false;
  ++l.life;  // what is in flight belongs to a life that is over
  step(from, peer_disconnected{to});
  at(now_ + how_long, [=, this] { connect(from, to); });
}

void virtual_cluster::abort(rank r, const std::string& name, const rank_set& members) {
  step(r, abort_operation{{op_kind::barrier, name},
                          members,
                          error(status_code::aborted, "rank " + to_string(r) + " aborts")});
}

void virtual_cluster::step(rank r, collective_input input) {
  auto& m = members_[r.value];
  auto effects = m.core->step(now_, std::move(input));
  m.core->check_invariants();
  for (auto& e : effects) perform(r, e);
  wake(r);
}

void virtual_cluster::wake(rank r) {
  if (const auto due = members_[r.value].core->deadline())
    at(std::max(*due, now_), [=, this] {
      const auto still = members_[r.value].core->deadline();
      if (still && *still <= now_) step(r, tick{});
    });
}

void virtual_cluster::perform(rank r, collective_effect& effect) {
  if (auto* s = std::get_if<send>(&effect)) return transmit(r, *s);
  if (auto* f = std::get_if<fold>(&effect)) return answer_fold(r, *f);
  if (auto* m = std::get_if<move_data>(&effect)) return answer_move(r, *m);
  if (auto* d = std::get_if<release>(&effect)) return finish(r, *d);
  if (auto* i = std::get_if<ignored>(&effect)) ++ignored_[std::string(i->why)];
  if (std::holds_alternative<depart>(effect)) members_[r.value].departed = true;
}

void virtual_cluster::transmit(rank from, const send& s) {
  if (const auto* c = std::get_if<close>(&s.body); c && from == rank{0})
    close_sent_.try_emplace(c->key, now_);
  auto& l = links_[{from, s.to}];
  if (!l.up) return;
  const auto arrival =
      std::max(now_ + random_.between(options_.latency_min, options_.latency_max), l.last_delivery);
  l.last_delivery = arrival;
  at(arrival, [this, from, s, life = l.life] {
    if (links_[{from, s.to}].life == life) step(s.to, received{from, s.decided_through, s.body});
  });
}

void virtual_cluster::answer_fold(rank r, fold& f) {
  std::vector<subtree> parts;
  std::vector<std::string> partials;
  for (const auto& in : f.inputs)
    for (std::size_t i = 0; i < in.parts.size(); ++i) {
      parts.push_back(in.parts[i]);
      partials.emplace_back(in.frames[i].text());
    }
  std::string why;
  const auto plan = plan_fold(f.said.leaf_count, parts, &why);
  if (!plan) return fail("C9: partials that cannot be folded: " + why);
  for (const auto& s : plan->steps)
    partials[s.left] = "(" + partials[s.left] + "+" + partials[s.right] + ")";
  contribution out;
  out.parts = plan->cover;
  for (const auto i : plan->remaining) out.frames.push_back(payload::copy_of(partials[i]));
  at(now_ + random_.between(duration::zero(), options_.latency_max),
     [this, r, id = f.fold_id, out] {
       step(r, folded{id, {}, out});
     });
}

void virtual_cluster::answer_move(rank r, const move_data& m) {
  if (m.held.size() != options_.hosts) return fail("C15: data moves of other hosts than all");
  for (std::uint32_t i = 0; i < m.held.size(); ++i)
    if (m.held[i].of != rank{i} || m.held[i].bytes < 4)
      return fail("C15: what moves is not that of all ranks in order");
  at(now_ + random_.between(duration::zero(), std::chrono::milliseconds(200)),
     [this, r, key = m.key] {
       if (!members_[r.value].core->fenced()) ++moved_[key];
       step(r, moved{key, {}});
     });
}

void virtual_cluster::call_next(rank r) {
  auto& m = members_[r.value];
  if (m.program.empty()) return;
  const auto s = m.program.front();
  m.program.pop_front();
  m.calls.push_back({{}, {}, now_, never, {}, {}});
  if (s.kind == op_kind::gather) {
    m.calls.back().target = s.source;
    m.calls.back().held = s.held;
  }
  step(r, arrive{ticket{m.calls.size()}, signature_of(s, options_.hosts), s.limits,
                 given_by(r, s, options_.hosts)});
  const auto bound = now_ + s.limits.hard + options_.lease;
  at(bound + std::chrono::milliseconds(1), [this, r, call = m.calls.size() - 1, bound] {
    if (members_[r.value].calls[call].ended > bound)
      fail("C8: a call of rank " + std::to_string(r.value) +
           " outlived its hard deadline and a lease");
  });
}

void virtual_cluster::finish(rank r, release& done) {
  auto& m = members_[r.value];
  auto& call = m.calls[done.ticket.value - 1];
  call.key = done.key;
  call.ended = now_;
  call.outcome = done.outcome;
  call.code = done.outcome.code;
  call.result = std::move(done.result);
  const bool counts =
      call.code != status_code::straggler_behind || std::holds_alternative<ordered_key>(call.key);
  if (call.code != status_code::unknown && counts) {
    const auto round =
        static_cast<std::size_t>(std::count_if(m.calls.begin(), m.calls.end(), [&](const auto& c) {
          return c.ended != never && c.key == call.key &&
                 (c.code != status_code::straggler_behind ||
                  std::holds_alternative<ordered_key>(c.key));
        }));
    judge(r, call, round);
  }
  if (call.code == status_code::unknown) m.program.clear();
  if (!m.program.empty()) at(now_ + m.pause(), [=, this] { call_next(r); });
}

int virtual_cluster::fenced_hosts() const {
  return static_cast<int>(std::count_if(members_.begin(), members_.end(),
                                        [](const member& m) { return m.core->fenced(); }));
}

}  // namespace muster::testing
