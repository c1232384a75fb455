// What cores remember is flat: however many operations there have been, under however many names.
#include <malloc.h>

#include <algorithm>
#include <deque>
#include <map>

#include <gtest/gtest.h>

#include <muster/messages/values/limits.hpp>
#include <muster/tests/protocols/collective_words.hpp>

namespace muster::testing {
namespace {

/// Cores whose messages arrive in the step in which they are sent, in order; time passes when the test says so.
class cores_in_touch {
 public:
  explicit cores_in_touch(std::uint32_t world_size, const rank_set& group = {}) {
    const auto world = rank_set::of_range(rank{0}, rank{world_size - 1});
    for (const auto r : (group.empty() ? world : group).members()) {
      collective_options options{.self = r, .world_size = world_size};
      options.group = group;
      cores_.emplace(r, collective(options, now_));
    }
  }

  /// Steps that core and then whoever hears of it, until nothing is on its way.
  void step(rank who, collective_input input) {
    take(who, std::move(input));
    for (; !on_the_way_.empty(); on_the_way_.pop_front()) {
      auto& [to, what] = on_the_way_.front();
      take(to, std::move(what));
    }
  }
  void call(rank who, signature said, deadlines limits = {60s, 60s}) {
    step(who, arrive{ticket{++last_ticket_}, std::move(said), limits, {}});
  }
  void pass(duration time) {
    const auto until = now_ + time;
    for (;;) {
      const auto next = std::ranges::min_element(
          cores_, {}, [](const auto& c) { return c.second.deadline().value_or(never); });
      const auto due = next->second.deadline();
      if (!due || *due > until) break;
      now_ = std::max(now_, *due);
      step(next->first, tick{});
    }
    now_ = until;
  }

  [[nodiscard]] std::uint64_t ended(status_code how) const {
    const auto it = ended_.find(how);
    return it == ended_.end() ? 0 : it->second;
  }
  /// The largest that a table of any core has been.
  [[nodiscard]] const collective::sizes& largest() const { return largest_; }

 private:
  void take(rank who, collective_input input) {
    auto& core = cores_.at(who);
    for (auto& effect : core.step(now_, std::move(input))) {
      if (auto* s = std::get_if<send>(&effect))
        on_the_way_.emplace_back(s->to, received{who, s->decided_through, std::move(s->body)});
      if (const auto* r = std::get_if<release>(&effect)) ++ended_[r->outcome.code];
    }
    core.check_invariants();
    const auto now = core.table_sizes();
    largest_ = {std::max(largest_.instances, now.instances), std::max(largest_.log, now.log),
                std::max(largest_.untaken, now.untaken), std::max(largest_.waiters, now.waiters)};
  }

  time_point now_ = t0;
  std::map<rank, collective> cores_;
  std::deque<std::pair<rank, received>> on_the_way_;
  std::map<status_code, std::uint64_t> ended_;
  collective::sizes largest_;
  std::uint64_t last_ticket_ = 0;
};

/// What the heap has grown by from the first to the last tenth of so many rounds, each at its fullest.
template <class Round>
std::ptrdiff_t heap_growth(std::uint64_t rounds, Round round) {
  std::size_t first = 0, last = 0;
  for (std::uint64_t n = 0; n < rounds; ++n) {
    round(n);
    if (n % (rounds / 1'000) != 0) continue;
    const auto in_use = mallinfo2().uordblks;
    if (n < rounds / 10) first = std::max(first, in_use);
    if (n >= rounds - rounds / 10) last = std::max(last, in_use);
  }
  return static_cast<std::ptrdiff_t>(last) - static_cast<std::ptrdiff_t>(first);
}

/// What the heap may differ by all the same.
constexpr std::ptrdiff_t slack = 64 << 10;

/// No table of any core has ever had more than so many rows.
void expect_tables_up_to(std::size_t rows, const cores_in_touch& cores) {
  EXPECT_LE(cores.largest().instances, rows);
  EXPECT_LE(cores.largest().log, rows);
  EXPECT_LE(cores.largest().untaken, rows);
  EXPECT_LE(cores.largest().waiters, rows);
}

signature numbered(op_kind kind, std::uint64_t n) {
  return says(kind, "operation with a name of its own, " + std::to_string(n));
}
signature barrier_number(std::uint64_t n) { return numbered(op_kind::barrier, n); }

const status asked_for = error(status_code::aborted, "a member has asked for it");
/// Hard before soft: nothing is reported that would have to be taken away.
constexpr deadlines five_seconds{60s, 5s};

TEST(Memory, IsFlatOverAMillionBarriersOfDistinctNames) {
  cores_in_touch world(2);
  const auto growth = heap_growth(1'000'000, [&](std::uint64_t n) {
    world.call(rank{n % 2 == 0}, barrier_number(n));
    world.call(rank{n % 2 != 0}, barrier_number(n));
  });
  EXPECT_EQ(world.ended(status_code::ok), 2'000'000u);
  EXPECT_LE(growth, slack);
  expect_tables_up_to(2, world);
}

TEST(Memory, IsFlatOverAMillionOperationsOfAGroup) {
  cores_in_touch group(8, {rank{3}, rank{7}});
  const auto growth = heap_growth(1'000'000, [&](std::uint64_t n) {
    group.call(rank{3}, numbered(op_kind::sync_global_devices, n));
    group.call(rank{7}, numbered(op_kind::sync_global_devices, n));
  });
  EXPECT_EQ(group.ended(status_code::ok), 2'000'000u);
  EXPECT_LE(growth, slack);
  expect_tables_up_to(2, group);
}

TEST(Memory, IsFlatOverBarriersThatOneHostHasNoPartIn) {
  cores_in_touch world(3);
  const auto growth = heap_growth(100'000, [&](std::uint64_t n) {
    auto of_two = barrier_number(n);
    of_two.members = {rank{0}, rank{1}};
    world.call(rank{1}, of_two);
    world.call(rank{0}, of_two);
  });
  EXPECT_EQ(world.ended(status_code::ok), 200'000u);
  EXPECT_LE(growth, slack);
  expect_tables_up_to(limits::unacknowledged_max, world);
}

TEST(Memory, IsFlatOverAThousandTimeOutsWhoseAbsentMemberComesLate) {
  cores_in_touch world(3);
  const auto growth = heap_growth(1'000, [&](std::uint64_t n) {
    world.call(rank{0}, barrier_number(n), five_seconds);
    world.call(rank{1}, barrier_number(n), five_seconds);
    world.pass(6s);
    world.call(rank{2}, barrier_number(n), five_seconds);
  });
  EXPECT_EQ(world.ended(status_code::deadline_exceeded), 3'000u);
  EXPECT_LE(growth, slack);
  expect_tables_up_to(2, world);
}

// The outcomes that it never takes stay until they are too many; from then on the others are told at once.
TEST(Memory, IsFlatOverTimeOutsWhoseAbsentMemberNeverComes) {
  cores_in_touch world(3);
  const auto growth = heap_growth(20'000, [&](std::uint64_t n) {
    world.call(rank{0}, barrier_number(n), five_seconds);
    world.call(rank{1}, barrier_number(n), five_seconds);
    world.pass(6s);
  });
  EXPECT_EQ(world.ended(status_code::deadline_exceeded), 2 * limits::untaken_total_max);
  EXPECT_EQ(world.ended(status_code::straggler_behind), 40'000 - 2 * limits::untaken_total_max);
  EXPECT_LE(growth, slack);
  expect_tables_up_to(limits::untaken_total_max, world);
}

// Of every three barriers one is aborted while rank 0 waits, one while rank 1 does, and one before either has come.
TEST(Memory, IsFlatOverAHundredThousandAbortsOfDistinctNames) {
  cores_in_touch world(2);
  const auto growth = heap_growth(100'000, [&](std::uint64_t n) {
    const auto said = barrier_number(n);
    const auto waits = [&](std::uint32_t who) { return n % 3 == who; };
    for (const auto who : {0u, 1u})
      if (waits(who)) world.call(rank{who}, said);
    world.step(rank{n % 2 == 0}, abort_operation{{said.kind, said.name}, {}, asked_for});
    for (const auto who : {0u, 1u})
      if (!waits(who)) world.call(rank{who}, said);
  });
  EXPECT_EQ(world.ended(status_code::aborted), 200'000u);
  EXPECT_LE(growth, slack);
  expect_tables_up_to(2, world);
}

}  // namespace
}  // namespace muster::testing
