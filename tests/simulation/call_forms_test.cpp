// Every form of a call that README, design and examples show, compiled by g++ 12 and run by hosts of a virtual world:
// the compiler destroys some temporaries of a co_await expression twice, which the address sanitizer sees.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/runtime/executor.hpp>
#include <muster/runtime/simulation/simulation.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t hosts = 3;

simulation_options three_hosts() {
  simulation_options o;
  o.hosts = hosts;
  o.devices_per_host = 2;
  return o;
}

/// Runs the same body on every host.
std::string everywhere(simulation::body body) {
  simulation world(three_hosts());
  world.start_everywhere(std::move(body));
  return to_string(world.run());
}
const std::string ok = to_string(status{});

std::vector<device_cover> ones_of(const host& h) {
  std::vector<device_cover> out;
  for (std::uint32_t d = 0; d < h.devices().size(); ++d) {
    out.emplace_back(d, h.device_count());
    out[d].add(h.first_device().value + d, array::of(std::vector{1.0F, 2.0F}));
  }
  return out;
}

task<void> barriers(host& host) {
  co_await host.barrier("data-ready");
  co_await host.barrier("data-ready", {.soft = 10s, .hard = 5min});
  co_await host.barrier(std::string(100, 'n') + "ame", {.hard = 5min});
  co_await host.sync_global_devices("step " + std::to_string(1), {.soft = 10s});
  co_await host.leave({.hard = 1min});
}

TEST(CallForms, OfBarriersTakeNamesAndOptionsInPlace) { EXPECT_EQ(everywhere(barriers), ok); }

task<void> broadcasts(host& host) {
  tree config;
  config.set("text", std::string(100, 'x') + std::to_string(host.rank().value));
  const tree first = co_await host.broadcast_one_to_all(config);
  const tree second = co_await host.broadcast_one_to_all(config, {.source = rank{2}, .hard = 5min});
  EXPECT_EQ(*first.find("text")->leaf<std::string>(), std::string(100, 'x') + "0");
  EXPECT_EQ(*second.find("text")->leaf<std::string>(), std::string(100, 'x') + "2");
  if (host.rank() == rank{0})
    config = co_await host.broadcast_one_to_all(config);
  else
    config = co_await host.broadcast_one_to_all();
  EXPECT_EQ(config, first);
  config = co_await host.broadcast_one_to_all(std::move(config), {.soft = 1s});
  EXPECT_EQ(config, first);
}

TEST(CallForms, OfBroadcastsTakeTreesOrNothing) { EXPECT_EQ(everywhere(broadcasts), ok); }

task<void> reductions(host& host) {
  std::vector<device_cover> gradients = ones_of(host);
  const array sum = co_await host.all_reduce(gradients, reduce_op::sum);
  EXPECT_EQ(sum.copy_elements<float>(), (std::vector{6.0F, 12.0F}));
  const array mean =
      co_await host.all_reduce(gradients, reduce_op::mean, {.soft = 10s, .hard = 5min});
  EXPECT_EQ(mean.copy_elements<float>(), (std::vector{1.0F, 2.0F}));
  const std::span<const device_cover> view(gradients);
  EXPECT_EQ(co_await host.all_reduce(view, reduce_op::mean), mean);
  EXPECT_EQ(co_await host.all_reduce(ones_of(host), reduce_op::mean), mean);
}

TEST(CallForms, OfReductionsTakeAnySpanOfCovers) { EXPECT_EQ(everywhere(reductions), ok); }

task<void> results(host& host) {
  if (host.rank() == rank{0}) co_return;  // whom the others miss
  auto outcome = co_await host.barrier("alone", {.soft = 1s, .hard = 5s}).as_result();
  EXPECT_EQ(outcome.why().code, status_code::deadline_exceeded);
  try {
    co_await host.barrier("alone again", {.soft = 1s, .hard = 5s});
    ADD_FAILURE() << "rank 0 never came";
  } catch (const status_error& e) {
    EXPECT_EQ(e.why().missing(), rank_set{rank{0}});
  }
}

TEST(CallForms, OfFailuresAreResultsOrExceptions) { EXPECT_EQ(everywhere(results), ok); }

task<void> kept(host& host) {
  auto first = host.barrier("first");
  auto second = host.barrier("second", {.hard = 5min});
  co_await second;
  co_await first;
  [[maybe_unused]] auto dropped = host.barrier("nobody waits for it");
  op<void> cancelled = host.barrier("rank 2 cancels it", {.hard = 5min});
  if (host.rank() == rank{2}) cancelled.cancel();
  EXPECT_EQ((co_await cancelled.as_result()).why().code, status_code::cancelled);
}

TEST(CallForms, OfOperationsCanBeKeptDroppedAndCancelled) { EXPECT_EQ(everywhere(kept), ok); }

TEST(CallForms, ThenGivesTheResultToAnExecutor) {
  run_loop loop;  // outlives the operations
  std::vector<std::string> heard;
  simulation world(three_hosts());
  ASSERT_EQ(to_string(world.join()), ok);
  for (std::uint32_t r = 0; r < hosts; ++r)
    world.at(rank{r}).barrier("x", {.hard = 5min}).then(loop, [&](result<void> outcome) {
      heard.push_back(to_string(outcome.why()));
    });
  std::vector<op<void>> later;
  for (std::uint32_t r = 0; r < hosts; ++r) later.push_back(world.at(rank{r}).barrier("y"));
  for (auto& o : later) o.get();
  EXPECT_TRUE(heard.empty()) << "the executor has not run";
  while (loop.run_one()) {
  }
  EXPECT_THAT(heard, ::testing::ElementsAre(ok, ok, ok));
}

TEST(CallForms, WaitAndGetRunTheWorldFromTheTestsOwnThread) {
  simulation world(three_hosts());
  ASSERT_EQ(to_string(world.join()), ok);
  tree said;
  said.set("n", std::int64_t{7});
  std::vector<op<tree>> others;
  for (std::uint32_t r = 1; r < hosts; ++r)
    others.push_back(world.at(rank{r}).broadcast_one_to_all({.hard = 5min}));
  EXPECT_EQ(world.at(rank{0}).broadcast_one_to_all(said).get(), said);
  for (auto& o : others) EXPECT_EQ(*o.wait(), said);
  auto alone = world.at(rank{1}).barrier("x", {.soft = 1s, .hard = 5s});
  EXPECT_THROW(alone.get(), status_error);
}

}  // namespace
}  // namespace muster
