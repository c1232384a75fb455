// Whole worlds of virtual hosts: what the runtime promises, met by the code that runs in production.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/runtime/simulation/simulation.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

simulation_options world_of(std::uint32_t hosts, std::uint32_t devices = 1,
                            std::uint64_t seed = 1) {
  simulation_options o;
  o.seed = seed;
  o.hosts = hosts;
  o.devices_per_host = devices;
  return o;
}

TEST(Simulation, JoinsAWorldOfOne) {
  simulation world(world_of(1));
  EXPECT_EQ(to_string(world.join()), to_string(status{}));
  EXPECT_EQ(world.at(rank{0}).world_size(), 1u);
}

TEST(Simulation, JoinsHostsIntoOneTable) {
  simulation world(world_of(5, 2));
  ASSERT_EQ(to_string(world.join()), to_string(status{}));
  for (std::uint32_t r = 0; r < 5; ++r) {
    EXPECT_EQ(world.at(rank{r}).members(), world.at(rank{0}).members());
    EXPECT_EQ(world.at(rank{r}).first_device(), device_index{2 * r});
  }
}

TEST(Simulation, RunsTheWaitOfTheTestsOwnThread) {
  simulation world(world_of(2));
  ASSERT_TRUE(world.join().ok());
  auto first = world.at(rank{0}).barrier("x");
  auto second = world.at(rank{1}).barrier("x");
  EXPECT_EQ(to_string(first.wait().why()), to_string(status{}));
  EXPECT_EQ(to_string(second.wait().why()), to_string(status{}));
}

TEST(Simulation, EndsAWaitForAHostThatNeverComesWithItsName) {
  simulation world(world_of(3));
  ASSERT_TRUE(world.join().ok());
  auto first = world.at(rank{0}).barrier("x", {.soft = 1s, .hard = 5s});
  auto second = world.at(rank{2}).barrier("x", {.soft = 1s, .hard = 5s});
  const auto why = first.wait().why();
  EXPECT_EQ(why.code, status_code::deadline_exceeded);
  EXPECT_EQ(why.missing(), rank_set{rank{1}});
  EXPECT_EQ(second.wait().why(), why);
}

task<void> work(host& h) {
  co_await h.barrier("start");
  tree config;
  if (h.rank() == rank{0}) config.set("learning rate", 0.5);
  const tree given = co_await h.broadcast_one_to_all(config);
  if (given.find("learning rate") == nullptr)
    throw status_error(error(status_code::internal, "no learning rate"));
  std::vector<device_cover> covers;
  for (std::uint32_t d = 0; d < h.devices().size(); ++d) {
    covers.emplace_back(d, h.device_count());
    covers.back().add(h.first_device().value + d,
                      array::of(std::vector<float>{1.0f, static_cast<float>(d)}));
  }
  const array sum = co_await h.all_reduce(covers, reduce_op::sum);
  if (sum.copy_elements<float>().at(0) != static_cast<float>(h.device_count()))
    throw status_error(error(status_code::internal, "a wrong sum"));
  co_await h.leave();
}

TEST(Simulation, RunsOneCoroutineOnEveryHostThroughJoinWorkAndLeave) {
  simulation world(world_of(7, 2));
  world.start_everywhere(work);
  EXPECT_EQ(to_string(world.run()), to_string(status{}));
  EXPECT_GT(world.events().events(), 100u) << "join, four operations and leave leave a trace";
  EXPECT_GT(world.now(), time_point(1ms)) << "messages take virtual time";
}

TEST(Simulation, GivesTheSameTraceForTheSameSeedAndAnotherForAnother) {
  auto trace_of = [](std::uint64_t seed) {
    simulation world(world_of(6, 2, seed));
    world.start_everywhere(work);
    EXPECT_EQ(to_string(world.run()), to_string(status{}));
    return world.events().hash();
  };
  EXPECT_EQ(trace_of(3), trace_of(3));
  EXPECT_NE(trace_of(3), trace_of(4));
}

TEST(Simulation, HealsACutLinkUnnoticed) {
  simulation world(world_of(4));
  world.start_everywhere([](host& h) -> task<void> {
    for (int i = 0; i < 50; ++i) co_await h.sync_global_devices("step");
    co_await h.leave();
  });
  for (int i = 1; i < 40; ++i)
    world.after(i * 1ms, [&world, i] {
      world.network().cut_link(rank{0}, rank{static_cast<std::uint32_t>(1 + i % 3)});
    });
  EXPECT_EQ(to_string(world.run()), to_string(status{}));
}

TEST(Simulation, RefusesAWaitInsideACoroutine) {
  simulation world(world_of(1));
  world.start_everywhere([](host& h) -> task<void> {
    const auto why = h.barrier("x").wait().why();
    if (why.code != status_code::would_block)
      throw status_error(error(status_code::internal, to_string(why)));
    co_return;
  });
  EXPECT_EQ(to_string(world.run()), to_string(status{}));
}

TEST(Simulation, SaysWhenNothingIsLeftToHappen) {
  simulation world(world_of(1));
  world.start_everywhere([](host&) -> task<void> {
    const op_promise<void> never_given;
    co_await never_given.get_op();
  });
  EXPECT_FALSE(world.run().ok());
}

TEST(Simulation, JoinsAHundredHostsOnATreeOfThree) {
  auto o = world_of(100);
  o.fan_out = 3;
  simulation world(o);
  world.start_everywhere(work);
  EXPECT_EQ(to_string(world.run()), to_string(status{}));
}

}  // namespace
}  // namespace muster
