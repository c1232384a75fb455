// The host actor: the shell of a host's collective cores. It carries what happened (calls, messages, links,
// time) into them and carries out what they order (sends, releases, folds); it decides nothing. Talk to it
// with host_messages.hpp, from any thread; all of it runs on one execution unit, the reactor.
//
//     start_operation ──> arrival_queue ──> collective ──> release ──> done
//     transport ──> envelope ───────────────> │   ▲ └────> send ─────> outbox ──> transport
//     deadline ──> tick ──────────────────────┘   └─────── fold ─────> device actor
//
// Several cores live in it: generation 0, the world that is still joining, a star around rank 0 whose only
// operation is join; the current generation, whose table the join's verdict gave; and beside that one for each group
// of hosts that has called ordered operations of its own, on its own tree.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <muster/actors/protocols/collective.hpp>
#include <muster/actors/shells/arrival_queue.hpp>
#include <muster/actors/shells/bulk_move.hpp>
#include <muster/actors/shells/device_messages.hpp>
#include <muster/actors/shells/host_config.hpp>
#include <muster/actors/shells/host_messages.hpp>
#include <muster/actors/shells/link_table.hpp>
#include <muster/actors/shells/ordered_actor.hpp>
#include <muster/actors/shells/outbox.hpp>
#include <muster/actors/shells/rendezvous.hpp>

namespace muster {

class host_actor final : public ordered_actor, public reactor_client {
 public:
  host_actor(caf::actor_config& cfg, host_actor_config config);
  ~host_actor() override;

  // ---- CAF: bound to config.unit, as a broker is to its multiplexer
  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* unit) override;
  using ordered_actor::enqueue;
  void launch(caf::execution_unit* unit, bool lazy, bool hide) override;
  caf::behavior make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "muster.host"; }

  // ---- reactor_client
  void serve(time_point now) override;
  [[nodiscard]] std::optional<time_point> deadline() const override;
  [[nodiscard]] int descriptor() const override;
  [[nodiscard]] bool busy() const override { return busy_; }

 private:
  /// A core: one generation's, of the world or of a group.
  struct part {
    muster::generation number;
    rank_set group;  // empty: the world
    collective core;
    std::map<operation_key, bulk_move> moves = {};
    std::uint64_t moved_through =
        0;  // the last operation whose data has begun to move, or that has ended
    [[nodiscard]] bool has_neighbour(rank) const;
  };

  // ---- host_actor.cpp: messages in, time, effects out
  template <class Message>
  void receive(Message& m) {
    after_sender();
    on(m);
  }
  void on(start_operation&);
  void on(contribution_ready&);
  void on(cancel_operation&);
  void on(abort_named&);
  void on(shut_down&);
  [[nodiscard]] host_report report() const;
  void let_arrive();
  void expire();
  void advance_time();
  void step(part&, collective_input);
  void carry_out(part&, ignored&);
  void carry_out(part&, muster::send&);
  void carry_out(part&, release&);
  void carry_out(part&, fold&);
  void carry_out(part&, move_data&);
  void carry_out(part&, report_stalled&);
  void carry_out(part&, fence&);
  void carry_out(part&, depart&);
  void arrive_at(part&, muster::arrive, status failure);
  void transmit(rank to, lane on, encoded what);
  void fold_on_device(fold_partials, std::function<void(status, contribution)> answer);
  void finish_call(ticket, const status&, contribution);
  void end_calls(const status& why);
  void hand_back();

  // ---- host_links.cpp: what the transport says
  void on(const link_up&);
  void on(const link_down&);
  void on(const link_refused&);
  void on(const peer_heard&);
  void on(message_received&);
  void on(const writable&);
  void on_envelope(rank from, envelope);
  void for_each_part(const std::function<void(part&)>&);
  [[nodiscard]] part* find_part(muster::generation, const rank_set& group);
  /// The group's core, made when there is none. Nothing: this host is no member, or limits::groups_max are there.
  part* open_group(const rank_set& group);
  void keep_links(part&);
  [[nodiscard]] bool needs_link_of_tree(rank) const;
  [[nodiscard]] bool needs_link(rank) const;
  void ignore(std::string_view why) { ++ignored_[std::string(why)]; }

  // ---- host_moves.cpp: data that operations hold back
  void hold_back(muster::arrive&);
  [[nodiscard]] static bulk_move* find_move(part&, const operation_key&);
  void on_bulk(part&, rank from, const message&);
  void obey(part&, const operation_key&, bulk_move::orders);
  void store(const part&, const operation_key&, bulk_move::copy);
  void store_batch();
  void fold_slice(const part&, const operation_key&, bulk_move::fold_slice);
  void end_move(part&, release&);
  void reconnect_moves(part&, rank peer);

  // ---- host_join.cpp: from generation 0 to the first table
  void on(start_join&);
  void dial(const std::optional<rendezvous::dial_order>&);
  void expire_join();
  void on_join_verdict(const status&, const contribution&);
  void end_failed_join();
  void fail_join(const status&);
  void enter(member_table);
  void replay_early_frames();
  void release_star();
  [[nodiscard]] member myself() const;
  /// Of a core of the current table, or of the star before there is one.
  [[nodiscard]] collective_options options_of(muster::generation, std::uint32_t fan_out,
                                              rank_set group = {}) const;

  host_actor_config config_;
  std::shared_ptr<transport> over_;
  time_point now_;
  bool busy_ = false;
  bool served_ = false;               // added to the registry
  caf::strong_actor_ptr kept_alive_;  // ourselves while served: the registry knows a bare address

  std::optional<part> gathering_;  // generation 0
  std::optional<part> current_;
  std::map<std::string, part> groups_;  // of the current generation, by the encoded group
  member_table table_;
  rendezvous meet_;
  std::function<void(status, member_table)> joined_;  // empty when nobody waits for the join
  bool join_called_ = false;
  std::optional<status> failure_;  // the join's verdict, while not all can be told yet
  time_point failure_until_ = never;

  arrival_queue arrivals_;
  struct pending_call {
    std::function<void(status, contribution)> done;
    rank_set group;  // on whose tree it is
  };
  std::map<ticket, pending_call> calls_;

  std::map<ticket, contribution> given_;  // what calls hold back, or may have to
  struct pending_copy {
    muster::generation number;
    rank_set group;
    operation_key key;
    bulk_move::copy what;
  };
  std::vector<pending_copy> copies_waiting_;  // for the batch that runs
  bool storing_ = false;
  std::set<rank> bulk_peers_;  // whom links are kept to for them

  link_table links_;
  outbox outbox_;
  struct peer_life {
    muster::incarnation incarnation;
    muster::endpoints endpoints;
  };
  std::map<rank, peer_life> heard_;
  struct early_frame {
    rank from;
    envelope content;
  };
  std::deque<early_frame> early_;  // of a generation that is ahead of ours
  time_point star_until_ = never;  // a joined member keeps its link to rank 0 until then

  bool fenced_ = false;
  bool left_ = false;      // leave was decided
  bool departed_ = false;  // and the links may be closed
  std::function<void(std::shared_ptr<transport>)> handed_back_;
  time_point hand_back_at_ = never;

  std::map<std::string, std::uint64_t> ignored_;
};

}  // namespace muster
