// Random worlds over the real shells and transports: placements, fan-outs, slow networks and cut links.
#include <gtest/gtest.h>

#include <muster/runtime/simulation/simulation.hpp>
#include <muster/tests/seeds/seeds.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

simulation_options random_world(random_source& random) {
  simulation_options o;
  o.seed = random.next();
  o.devices.resize(1 + random.below(12));
  for (auto& n : o.devices) n = 1 + static_cast<std::uint32_t>(random.below(3));
  o.fan_out = static_cast<std::uint32_t>(std::vector<std::uint64_t>{2, 3, 16}[random.below(3)]);
  if (random.chance(0.3)) o.network.latency_max = 20ms;
  if (random.chance(0.3)) o.network.loss = 0.01;
  o.start_spread = random.chance(0.5) ? 1ms : 2s;
  o.trace_lines_max = 20;
  return o;
}

void expect(bool right, const char* what) {
  if (!right) throw status_error(error(status_code::internal, what));
}

array leaf_value(std::uint64_t leaf) {
  return array::of(
      std::vector<float>{1.0F / static_cast<float>(leaf + 1), static_cast<float>(leaf)});
}

array large_value(std::uint64_t of) {
  std::vector<float> out(30'000);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(i * (of + 1));
  return array::of(std::move(out));
}

/// What is too large for a message moves from host to host.
task<void> large_data(host& h, rank source) {
  const tree own(large_value(h.rank().value));
  const tree given = co_await h.broadcast_one_to_all(own, {.source = source});
  expect(given == tree(large_value(source.value)), "a large broadcast of other bytes");
  std::vector<device_cover> covers{device_cover(0, h.world_size())};
  covers[0].add(h.rank().value, large_value(h.rank().value));
  const array most = co_await h.all_reduce(covers, reduce_op::max);
  expect(most == large_value(h.world_size() - 1), "a large maximum of other bytes");
}

/// Ten rounds of everything; each host checks what it gets.
task<void> rounds(host& h) {
  array before;
  for (std::uint32_t round = 0; round < 10; ++round) {
    const std::string name = "round " + std::to_string(round % 3);
    co_await h.barrier(name);
    co_await h.sync_global_devices(name);
    const rank source{round % h.world_size()};
    tree mine;
    mine.set("round", static_cast<std::int64_t>(round))
        .set("source", static_cast<std::int64_t>(source.value));
    const tree given = co_await h.broadcast_one_to_all(mine, {.source = source});
    expect(given == mine, "a broadcast that changed the value");
    std::vector<device_cover> covers;
    for (std::uint32_t d = 0; d < h.devices().size(); ++d) {
      const auto leaf = h.first_device().value + d;
      covers.emplace_back(d, h.device_count());
      covers.back().add(leaf, leaf_value(leaf));
    }
    array sum = co_await h.all_reduce(covers, reduce_op::sum);
    expect(round == 0 || sum == before, "a sum that is not the one of the round before");
    before = std::move(sum);
    co_await large_data(h, source);
  }
  co_await h.leave();
}

std::string run_world(std::uint64_t seed, bool cuts) {
  random_source random(seed);
  auto o = random_world(random);
  const auto description = to_string(o);
  simulation world(o);
  world.start_everywhere(rounds);
  const auto hosts = world.world_size();
  for (int i = 0; cuts && hosts > 1 && i < 60; ++i) {
    const rank a{static_cast<std::uint32_t>(random.below(hosts))};
    const rank b{(a.value + 1 + static_cast<std::uint32_t>(random.below(hosts - 1))) % hosts};
    world.after(duration(static_cast<std::int64_t>(random.below(1'500'000'000))),
                [&world, a, b] { world.network().cut_link(a, b); });
  }
  const auto ended = world.run();
  if (ended.ok()) return "";
  std::string log = to_string(ended) + "\n" + description;
  for (const auto& line : world.events().lines()) log += "\n" + line;
  return log;
}

void run_worlds(bool cuts) {
  const auto seeds = testing::seeds_to_run(150);
  for (std::uint64_t seed = seeds.first; seed != seeds.end(); ++seed)
    ASSERT_EQ(run_world(seed, cuts), "") << testing::replay(seed, "simulation_test");
}

TEST(RandomWorlds, GetThroughTenRoundsOfEverything) { run_worlds(false); }

TEST(RandomWorlds, GetThroughThemWhileLinksAreCut) { run_worlds(true); }

}  // namespace
}  // namespace muster
