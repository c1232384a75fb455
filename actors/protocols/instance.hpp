// One open operation at one node of the tree: who has arrived, what they said and gave, how long they
// will wait. A plain value with the questions that can be answered from it alone; the collective owns
// it and decides.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <muster/actors/protocols/tree_shape.hpp>
#include <muster/messages/values/control.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

/// Distinct signatures with the ranks that are known to have said them, at most limits::statements_max.
class statements {
 public:
  /// Whether this was news.
  bool add(const signature& said, const rank_set& ranks);
  [[nodiscard]] bool conflict() const { return !list_.empty() && !common_; }
  /// What all mean. Only where something was said, without conflict.
  [[nodiscard]] const signature& common() const { return common_.value(); }
  /// Whose operation it is, by all that was said; empty: everyone's.
  [[nodiscard]] rank_set members() const;
  [[nodiscard]] const std::vector<statement>& list() const { return list_; }

 private:
  std::vector<statement> list_;
  std::optional<signature> common_;
};

struct instance {
  struct local_arrival {
    muster::ticket ticket{};
    time_point fence_at = never;  // its hard deadline and a lease: it waits no longer
    muster::contribution given;
  };
  struct child_state {
    enum class phase : std::uint8_t { silent, opened, complete };
    phase at = phase::silent;
    bool answered = false;   // to `close`, finally
    bool delivered = false;  // moving: all of the subtree has its data
    rank_set heard;          // of a subtree that is not all there: who is, as far as we were told
    muster::contribution given;
  };
  /// Where the node stands. `reported` keeps what the parent was told, to be said again on a new link; `moving` waits
  /// for the data that hosts had held back.
  enum class phase : std::uint8_t { gathering, folding, reported, moving };
  /// Why exact arrivals are being asked for.
  enum class closing : std::uint8_t { no, deadline, leavers };

  instance(operation_key k, const tree_shape& tree, time_point now)
      : key(std::move(k)), opened_at(now), children(tree.children.size()) {}

  operation_key key;
  time_point opened_at;
  time_point soft_at = never;
  time_point hard_at = never;
  duration stall_interval{};
  statements said;
  std::optional<local_arrival> local;
  std::vector<child_state> children;
  std::optional<status> failure;  // asked for by a member here or below
  rank_set abort_members;         // an abort that came before anyone had called: who will

  phase at = phase::gathering;
  std::uint64_t fold_id = 0;
  muster::contribution combined;  // once reported

  std::vector<held_part> held;   // moving: what moves
  bool local_delivered = false;  // and the local member has its part
  bool delivered_told = false;

  closing close_reason = closing::no;
  time_point answer_at = never;   // root: decide by then; others: answer by then
  std::uint32_t ask = 0;          // the number of the last `close`
  bool answered_finally = false;  // not the root: it has told `closed` with `final`
  bool all_arrived = false;       // at the hard deadline: only the combining is still going on
  rank_set leavers_checked;       // root: these leavers were found not to be missing

  bool crossing_told = false;  // root
  bool opened_told = false;    // and with which deadlines
  time_point soft_told = never;
  time_point hard_told = never;
  rank_set intents_told;

  /// The earliest deadlines count; but a stall that was reported, or a hard deadline at which all had
  /// arrived, is over and does not come back.
  void shorten(time_point now, deadlines remaining);
  [[nodiscard]] deadlines remaining(time_point now) const;
  /// Whose operation it is; empty: everyone's.
  [[nodiscard]] rank_set members() const;
  /// Those of `ranks` that take part.
  [[nodiscard]] rank_set expected(const rank_set& ranks) const;
  /// Who has arrived, as far as this node knows; while data moves, who has it.
  [[nodiscard]] rank_set heard(const tree_shape& tree) const;
  [[nodiscard]] bool everyone_complete(const tree_shape& tree) const;
  [[nodiscard]] bool everyone_answered(const tree_shape& tree) const;
  /// That child's members have all arrived; or none is below it.
  [[nodiscard]] bool complete(const tree_shape& tree, std::size_t child) const;
  /// Nothing is expected of that child: it is complete or, while data moves, has it.
  [[nodiscard]] bool settled(const tree_shape& tree, std::size_t child) const;
  [[nodiscard]] bool everyone_delivered(const tree_shape& tree) const;
  /// Whether some of the contributions are held back, or too large to go on together.
  [[nodiscard]] bool holds_back(combiner how) const;
  /// All contributions as what is held back, in rank order. Of gathers the rest becomes so as well, since hosts keep
  /// what they gave.
  [[nodiscard]] std::vector<held_part> all_held(const tree_shape& tree) const;
  /// The contributions in rank order, own first, combined as the kind says (not for fold).
  [[nodiscard]] contribution combine(combiner how) const;
  [[nodiscard]] std::vector<contribution> contributions() const;
};

}  // namespace muster
