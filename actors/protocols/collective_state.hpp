// The inside of the collective core: its tables, and the transitions on them. Private to the box. The
// member functions are spread by theme: collective.cpp (the step, time, the local member),
// collective_tree.cpp (what parent and children say), collective_root.cpp (what only the root decides).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <muster/actors/protocols/collective.hpp>
#include <muster/actors/protocols/instance.hpp>
#include <muster/actors/protocols/intent_table.hpp>
#include <muster/actors/protocols/tree_shape.hpp>
#include <muster/actors/protocols/untaken_table.hpp>
#include <muster/actors/protocols/verdict_log.hpp>

namespace muster {

struct collective::state {
  state(collective_options o, time_point start);

  // ---- tables, each with one owner: this struct
  const collective_options options;
  const tree_shape tree;
  std::vector<rank> children;  // the heads of the tree's branches
  instance_table instances;    // open operations
  verdict_log log;             // decided ones that a child may not know
  untaken_table untaken;       // decided ones that the local member has not called yet
  std::map<ticket, operation_key> waiters;
  std::map<rank, behind> behind_of;  // of this subtree (the root: of the world), as last told
  rank_set unreachable;              // subtrees whose head we have no link to
  std::uint64_t sequence = 0;        // of the local member's last ordered call
  std::uint64_t last_fold = 0;
  verdict_number told_through{};  // what the parent knows that we have applied
  time_point acknowledge_at = never;
  time_point intents_at = never;
  time_point depart_at = never;  // leave was decided; children have until then to acknowledge
  verdict_number leave_number{};
  bool leaving = false;
  bool departed = false;
  bool is_fenced = false;
  time_point now;
  collective_effects effects;  // of the step that is running

  // ---- collective.cpp
  void expire();
  [[nodiscard]] std::optional<time_point> deadline() const;
  void on(arrive&);
  void on(const cancel&);
  void on(const abort_operation&);
  void on(const give_up&);
  void on(const received&);
  void on(const peer_connected&);
  void on(const peer_disconnected&);
  void on(folded&);
  void on(const moved&);
  void on(const tick&) {}
  [[nodiscard]] std::optional<status> refusal(const arrive&) const;
  void release_untaken(const arrive&, const operation_key&);
  void become_fenced(const std::string& why);
  void become_departed();

  // ---- collective_tree.cpp: from children
  bool ignore_child_message(std::size_t child, const received&);
  void on_child(std::size_t child, const opened&);
  void on_child(std::size_t child, const complete&);
  void on_child(std::size_t child, const closed&);
  void on_child(std::size_t child, const intents&, verdict_number knows);
  void on_child(std::size_t child, const fail&);
  void on_child(std::size_t child, const behind&);
  void on_child(std::size_t child, const delivered&);
  // from the parent
  void on_parent(const verdict&);
  void on_parent(const close&);
  void on_parent(const stalled&);
  void on_parent(const proceed&);
  // an open operation moves on
  instance* open(const operation_key&);
  void advance(instance&);
  void combine(instance&);
  void report(instance&, contribution combined);
  void begin_move(instance&, std::vector<held_part>);
  void check_delivered(instance&);
  void tell_opened(instance&);
  void tell_closed(instance&);
  void tell_behind();
  void say_again_to_parent();
  void say_again_to_child(std::size_t child);
  void apply(const verdict&);
  void send_up(message);
  void send_down(std::size_t child, message);
  void send_verdict(std::size_t child, const verdict&);
  void fail_here(instance&, status cause);
  void ignore(std::string_view why) { effects.push_back(ignored{why}); }

  // ---- collective_root.cpp
  bool decide_at_once(instance&);
  void decide(instance&, status outcome, contribution result = {}, bool counts = true);
  [[nodiscard]] bool hears_everyone_first(const instance&) const;
  [[nodiscard]] rank_set missing(const instance&) const;
  void begin_close(instance&, instance::closing why);
  void settle(instance&);
  void check_leavers();
  void report_stall(instance&);
  void tell_stalled(const instance&);
  void report_crossed();
  [[nodiscard]] rank_set leavers() const;
  [[nodiscard]] std::optional<rank> straggler_for(const operation_key&) const;
  [[nodiscard]] status deadline_status(const instance&) const;
  [[nodiscard]] status mismatch_status(const instance&) const;
};

}  // namespace muster
