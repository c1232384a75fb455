// The one collective protocol: barrier, broadcast, reduce, join and leave are this tree with different
// combiners. A pure core: it is told the time, it returns what should happen, it does nothing itself. One
// thread at a time; no clock, no I/O, no logging. The page docs/protocols/collective.md numbers the
// invariants that are checked after every step in the tests.
//
//            arrive (first in the subtree)            all of the subtree
//   idle ──────────────────────────────> gathering ───────────────────────> [folding] ──> reported
//                                         │   ▲ close: exact arrivals up         │            │
//                                         └───┴──────────── verdict ─────────────┴────────────┘
//                                                              │
//            member had arrived: release          member had not: untaken, until it arrives late
//
// Up is state, down is a log. A node tells its parent `opened`, `complete`, `closed` and `intents`; each
// carries `decided_through`, the last verdict that the node has applied, and the parent ignores what a child
// says about an operation that was decided after that number. The root decides and numbers its verdicts;
// each node applies them in order, passes them on, and keeps them until its children have acknowledged
// them, so that a re-made link continues where the old one broke.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <muster/messages/values/control.hpp>
#include <muster/messages/values/inline_vector.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

// ---- inputs: things that happened

/// The local member calls an operation. `remaining` are its deadlines from now.
struct arrive {
  muster::ticket ticket{};
  signature said;
  deadlines remaining{limits::soft_default, limits::hard_default};
  muster::contribution contribution;
};

/// The local member wants its pending call to be cancelled (or aborted, with another cause).
struct cancel {
  muster::ticket ticket{};
  status cause;
};

/// The named operation is to fail for all its members: the round that is open, or else the next one. `members` as the
/// operation's own (empty: everyone); they count only where nobody has called it yet.
struct abort_operation {
  named_key key;
  rank_set members;
  status cause;
};

/// This host takes no further part, as another of its cores has found.
struct give_up {
  std::string why;
};

/// A control message from a peer of the tree.
struct received {
  rank from{};
  verdict_number decided_through{};
  message body;
};

/// A new life of our link to that peer is up: what the old one lost must be said again.
struct peer_connected {
  rank peer{};
};
/// Our link to that peer is down. It colours reports (`unreachable`); it decides nothing.
struct peer_disconnected {
  rank peer{};
};

/// The answer to a `fold` effect. An error fails the operation everywhere with that cause.
struct folded {
  std::uint64_t fold_id = 0;
  status outcome;
  muster::contribution contribution;
};

/// The answer to a `move` effect: the local member has all that it is to get and has given all that it holds, or why it
/// can't.
struct moved {
  operation_key key;
  status outcome;
};

/// Time has passed. A hint: early, late and doubled ticks change nothing.
struct tick {};

using collective_input = std::variant<arrive, cancel, abort_operation, give_up, received,
                                      peer_connected, peer_disconnected, folded, moved, tick>;

// ---- effects: what should happen

struct send {
  rank to{};
  verdict_number decided_through{};
  message body;
};

/// The local call ends with the verdict of its operation. `result` is empty unless the outcome is ok.
struct release {
  muster::ticket ticket{};
  operation_key key;
  status outcome;
  contribution result;
};

/// Combine these partials as plan_fold allows (on a device) and answer with `folded`. The parts of all
/// inputs together are disjoint. At the root the answer must be one part that stands for all leaves,
/// finished (mean: divided) and in the result type.
struct fold {
  std::uint64_t fold_id = 0;
  signature said;
  bool finish = false;               // at the root
  std::vector<contribution> inputs;  // own first, then the children's in rank order
};

/// Exchange with the other members what all of them hold back, as the kind says (exchange_plan.hpp), and answer with
/// `moved`. The release that follows has no result: it is what was received, if the outcome is ok. Data goes on
/// moving until the release.
struct move_data {
  muster::ticket ticket{};
  operation_key key;
  signature said;
  std::vector<held_part> held;
};

/// Tell local waiters of `key` who is missing so far; nothing has failed.
struct report_stalled {
  stalled report;
};

/// This host can't learn a verdict: it takes no further part. Every pending call was released `unknown`.
struct fence {
  std::string why;
};

/// The leave verdict is known here and below: the links may be closed.
struct depart {};

/// An input that meant nothing, and why. Counted by the shell.
struct ignored {
  std::string_view why;  // a literal
};

using collective_effect =
    std::variant<ignored, send, release, fold, move_data, report_stalled, fence, depart>;
using collective_effects = inline_vector<collective_effect, 8>;

struct collective_options {
  rank self{};
  std::uint32_t world_size = 1;
  std::uint32_t fan_out = limits::fan_out_default;  // >= world_size is a star
  muster::generation generation{1};
  duration lease = limits::lease_default;
  duration settle = limits::settle_max;
  duration intents_interval = limits::intents_interval;
  rank_set group{};  // whose tree it is; empty: the world's
};

/// One host's part in all operations of one generation on one tree: that of the world, ranks 0 .. world_size - 1, or
/// that of a group of them, which has ordered operations of its own.
class collective {
 public:
  collective(collective_options options, time_point now);
  ~collective();
  collective(collective&&) noexcept;
  collective& operator=(collective&&) noexcept;

  /// The only mutator. `now` must not go back (asserted). First expires what is due, inclusively, then
  /// looks at the input. An arrival that breaks a rule (name too long, too much data, fenced, departed,
  /// too many pending, its name already pending here) is released in the same step with that error; it
  /// consumes no sequence number.
  collective_effects step(time_point now, collective_input input);

  /// When to be ticked if nothing comes first.
  [[nodiscard]] std::optional<time_point> deadline() const;

  /// Everyone in the tree.
  [[nodiscard]] const rank_set& members() const;
  /// The neighbours in the tree, whom the shell keeps links to.
  [[nodiscard]] std::optional<rank> parent() const;
  [[nodiscard]] const std::vector<rank>& children() const;

  [[nodiscard]] bool fenced() const;
  /// The local member has called leave, and it has not failed.
  [[nodiscard]] bool leaving() const;
  [[nodiscard]] verdict_number decided_through() const;

  /// Sizes of the tables, for tests of memory and for status reports.
  struct sizes {
    std::size_t instances = 0, log = 0, untaken = 0, waiters = 0;
  };
  [[nodiscard]] sizes table_sizes() const;

  /// Aborts with the number of the invariant that does not hold. For tests, after every step.
  void check_invariants() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace muster
