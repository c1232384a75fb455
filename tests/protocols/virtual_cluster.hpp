// Hosts that are nothing but their collective cores, over a seeded network of delays and link cuts, in
// virtual time. Each member runs a program of operations one after the other; a judge compares what all of
// them were told. The invariants are numbered in docs/protocols/collective.md.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <muster/actors/protocols/collective.hpp>
#include <muster/messages/values/random.hpp>

namespace muster::testing {

/// The seeded source, with the questions that a schedule asks.
class schedule_random : public random_source {
 public:
  using random_source::random_source;
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  duration between(duration low, duration high) {
    return low + duration(static_cast<std::int64_t>(
                     below(static_cast<std::uint64_t>((high - low).count()) + 1)));
  }
};

/// One line of the program that every member runs.
struct program_step {
  op_kind kind = op_kind::barrier;
  std::string name;
  rank source{};  // of a broadcast; of a gather the target
  deadlines limits;
  rank_set members{};  // of a barrier; empty: everyone. The others skip the line
  bool held = false;   // of a gather: what ranks give is held back, by every second of them
};

struct cluster_options {
  std::uint64_t seed = 1;
  std::uint32_t hosts = 4;
  std::uint32_t fan_out = 2;
  duration latency_min = std::chrono::microseconds(50);
  duration latency_max = std::chrono::microseconds(500);
  duration lease = limits::lease_default;
  bool link_cuts = false;
  bool aborts = false;  // outcomes may be left that nobody calls for
};

/// What happened to one call of one member.
struct call_record {
  operation_key key;
  status_code code = status_code::ok;
  time_point called{};
  time_point ended = never;
  status outcome;
  contribution result;
  std::optional<rank> target{};  // of a gather
  bool held = false;
};

class virtual_cluster {
 public:
  explicit virtual_cluster(cluster_options options);

  /// Member `r` runs these steps in order, pausing before each as given by `pause`.
  void run_program(rank r, std::vector<program_step> steps, std::function<duration()> pause);
  /// Runs until nothing is left to do or virtual time passes `limit`. Stops at the first broken invariant.
  void run_until(time_point limit);

  void cut(rank from, rank to, duration how_long);
  /// Rank `r` wants the barrier of that name, of these members, to fail.
  void abort(rank r, const std::string& name, const rank_set& members);

  [[nodiscard]] time_point now() const { return now_; }
  [[nodiscard]] const std::vector<call_record>& calls(rank r) const {
    return members_[r.value].calls;
  }
  [[nodiscard]] const collective& core(rank r) const { return *members_[r.value].core; }
  /// The first broken invariant, or empty.
  [[nodiscard]] const std::string& broken() const { return broken_; }
  /// How often each reason to ignore an input was met: what the schedule really exercised.
  [[nodiscard]] const std::map<std::string, int>& ignored_inputs() const { return ignored_; }
  [[nodiscard]] bool departed(rank r) const { return members_[r.value].departed; }
  [[nodiscard]] int fenced_hosts() const;
  /// Every program is over and every core has departed or been fenced, with empty tables.
  void check_end();

 private:
  struct member {
    std::unique_ptr<collective> core;
    std::vector<call_record> calls;
    std::deque<program_step> program;
    std::function<duration()> pause;
    bool departed = false;
  };
  struct link {
    std::uint64_t life = 0;
    bool up = false;
    time_point last_delivery{};
  };

  void at(time_point when, std::function<void()> what);
  void step(rank r, collective_input input);
  void perform(rank r, collective_effect& effect);
  void transmit(rank from, const send& s);
  void answer_fold(rank r, fold& f);
  void call_next(rank r);
  void finish(rank r, release& done);
  void judge(rank r, const call_record& call, std::size_t round);
  void connect(rank from, rank to);
  void wake(rank r);
  void fail(std::string what) {
    if (broken_.empty()) broken_ = std::move(what);
  }

  cluster_options options_;
  schedule_random random_;
  time_point now_{};
  std::uint64_t serial_ = 0;
  std::map<std::pair<time_point, std::uint64_t>, std::function<void()>> agenda_;
  std::vector<member> members_;
  std::map<std::pair<rank, rank>, link> links_;
  std::map<std::pair<std::string, std::size_t>, status> outcomes_;  // per operation and round
  void answer_move(rank r, const move_data& m);

  std::map<operation_key, rank_set> members_of_;
  std::map<operation_key, std::uint32_t> moved_;  // how many members have their data
  std::map<operation_key, time_point> close_sent_;
  std::map<std::string, int> ignored_;
  std::string broken_;
};

}  // namespace muster::testing
