// Random schedules over the pure core: delays, stalls, link cuts, late callers, many rounds of one name.
#include <cstdio>

#include <gtest/gtest.h>

#include <muster/tests/protocols/virtual_cluster.hpp>
#include <muster/tests/seeds/seeds.hpp>

namespace muster::testing {
namespace {

using namespace std::chrono_literals;

/// Some of the ranks, at least one.
rank_set random_members(schedule_random& random, std::uint32_t hosts) {
  rank_set out{rank{static_cast<std::uint32_t>(random.below(hosts))}};
  for (std::uint32_t r = 0; r < hosts; ++r)
    if (random.one_in(2)) out.insert(rank{r});
  return out;
}

std::vector<program_step> random_program(schedule_random& random, std::uint32_t hosts) {
  const std::vector<std::string> names{"a", "b", "c"};
  const auto group = random_members(random, hosts);
  std::vector<program_step> out;
  for (int i = 0; i < 24; ++i) {
    const auto hard = random.one_in(3) ? random.between(5ms, 100ms) : random.between(500ms, 4s);
    program_step s{op_kind::barrier, names[random.below(3)], {}, {hard / 2, hard}};
    const auto kind = random.below(13);
    if (kind == 10) s = {op_kind::barrier, "some", {}, s.limits, group};
    if (kind >= 11)
      s = {op_kind::gather, "", rank{static_cast<std::uint32_t>(random.below(hosts))}, s.limits};
    if (kind == 6 || kind == 7) s.kind = op_kind::sync_global_devices;
    if (kind == 8)
      s = {op_kind::broadcast_one_to_all, "", rank{static_cast<std::uint32_t>(random.below(hosts))},
           s.limits};
    if (kind == 9) s = {op_kind::all_reduce, "gradients", {}, s.limits};
    s.held = kind == 12;
    out.push_back(s);
  }
  out.push_back({op_kind::leave, "", {}, {10s, 120s}});
  return out;
}

/// What happens to the links of a schedule. The longest short cut is well below a lease.
enum class cuts { none, shorter_than_a_lease, of_any_length };

/// Barriers of the program are aborted now and then, whoever has called them.
void abort_some(virtual_cluster& cluster, schedule_random& random, std::uint32_t hosts,
                const std::vector<program_step>& program) {
  for (int i = 0; i < 10; ++i) {
    cluster.run_until(cluster.now() + random.between(1ms, 300ms));
    const auto& line = program[random.below(program.size())];
    if (line.kind == op_kind::barrier)
      cluster.abort(rank{static_cast<std::uint32_t>(random.below(hosts))}, line.name, line.members);
  }
}

/// Runs one schedule; the counters of what it met are added to `met`.
std::string run_schedule(std::uint64_t seed, cuts faults, std::map<std::string, int>& met) {
  schedule_random random(seed);
  cluster_options options;
  options.seed = random.next();
  options.hosts = 1 + static_cast<std::uint32_t>(random.below(20));
  options.fan_out = std::vector<std::uint32_t>{2, 3, 16}[random.below(3)];
  options.link_cuts = faults != cuts::none;
  options.aborts = random.one_in(2);
  if (random.one_in(3)) options.latency_max = 20ms;
  virtual_cluster cluster(options);
  const auto program = random_program(random, options.hosts);
  auto slow = std::make_shared<schedule_random>(random.next());
  for (std::uint32_t r = 0; r < options.hosts; ++r) {
    const bool straggler = random.one_in(4);
    cluster.run_program(rank{r}, program, [slow, straggler]() -> duration {
      return straggler && slow->one_in(4) ? slow->between(50ms, 1500ms) : slow->between(0ms, 5ms);
    });
  }
  if (options.aborts) abort_some(cluster, random, options.hosts, program);
  for (int i = 0; options.link_cuts && i < 40; ++i) {
    cluster.run_until(cluster.now() + random.between(1ms, 300ms));
    const rank child{static_cast<std::uint32_t>(random.below(options.hosts))};
    const auto parent = cluster.core(child).parent();
    if (!parent) continue;
    const bool lasting = faults == cuts::of_any_length && random.one_in(20);
    const auto how_long = lasting ? random.between(1s, 12s) : random.between(1ms, 900ms);
    if (random.one_in(2))
      cluster.cut(child, *parent, how_long);
    else
      cluster.cut(*parent, child, how_long);
  }
  cluster.run_until(cluster.now() + 600s);
  cluster.check_end();
  for (const auto& [why, count] : cluster.ignored_inputs()) met[why] += count;
  met["fenced hosts"] += cluster.fenced_hosts();
  for (std::uint32_t r = 0; r < options.hosts; ++r)
    for (const auto& c : cluster.calls(rank{r})) ++met[std::string(to_string(c.code))];
  if (faults != cuts::of_any_length && cluster.broken().empty() && cluster.fenced_hosts() > 0)
    return "C13: a host was fenced although no link was cut for long";
  return cluster.broken();
}

/// What the schedules met, for the log of a run.
void print(const std::map<std::string, int>& met) {
  for (const auto& [what, count] : met) std::printf("  met %7d x %s\n", count, what.c_str());
}

const seed_range seeds = seeds_to_run(1'000);

void run_schedules(cuts faults, std::map<std::string, int>& met) {
  for (std::uint64_t seed = seeds.first; seed != seeds.end(); ++seed)
    ASSERT_EQ(run_schedule(seed, faults, met), "") << replay(seed, "protocols_test");
}

TEST(RandomSchedules, KeepEveryInvariantWhileMembersAreSlow) {
  std::map<std::string, int> met;
  run_schedules(cuts::none, met);
  print(met);
  if (HasFatalFailure() || seeds.is_replay()) return;
  EXPECT_GT(met["ok"], 0);
  EXPECT_GT(met["deadline_exceeded"], 0) << "no schedule met a time-out";
  EXPECT_GT(met["aborted"], 0) << "no schedule met an abort";
  EXPECT_GT(met["about an operation that was decided after what the child knows"], 0)
      << "no schedule met an arrival that crossed a verdict";
  EXPECT_EQ(met["fenced hosts"], 0) << "without faults nobody is fenced";
}

TEST(RandomSchedules, HealCutLinksUnnoticedWhenNoneLastsAsLongAsALease) {
  std::map<std::string, int> met;
  run_schedules(cuts::shorter_than_a_lease, met);
  print(met);
  if (HasFatalFailure() || seeds.is_replay()) return;
  EXPECT_GT(met["a verdict that is applied"], 0) << "no schedule met a verdict sent again";
  EXPECT_GT(met["said twice"], 0) << "no schedule met a state said again";
}

TEST(RandomSchedules, FenceWhoeverIsCutOffForLongAndNobodyElseDiffers) {
  std::map<std::string, int> met;
  run_schedules(cuts::of_any_length, met);
  print(met);
  if (HasFatalFailure() || seeds.is_replay()) return;
  EXPECT_GT(met["fenced hosts"], 0) << "no cut outlasted a lease";
  EXPECT_GT(met["deadline_exceeded"], 0);
}

}  // namespace
}  // namespace muster::testing
