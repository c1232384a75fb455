// Every layer at once: real ZeroMQ on loopback, the reactor's thread, device threads. Each wait is bounded by
// the operations' own deadlines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include <muster/tests/system/world_of_hosts.hpp>

namespace muster::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr operation_options soon{1s, 20s};

MATCHER(IsOk, "") {
  if (!arg.ok()) *result_listener << to_string(arg.why());
  return arg.ok();
}
MATCHER_P(FailsWith, code, "") {
  *result_listener << to_string(arg.why());
  return arg.why().code == code;
}

array numbers(std::uint64_t leaf) {
  std::vector<float> v;
  for (int i = 0; i < 1'000; ++i)
    v.push_back(1.0f / static_cast<float>(leaf * 37 + static_cast<std::uint64_t>(i) + 1));
  return array::of(std::move(v));
}

/// The leaves 0 .. 15 spread over all devices of this host, as training does it: contiguous and equal.
std::vector<device_cover> covers_of(const host& h) {
  std::vector<device_cover> out;
  const std::uint64_t each = 16 / h.device_count();
  for (std::uint32_t d = 0; d < h.devices().size(); ++d) {
    out.emplace_back(d, 16);
    const std::uint64_t first = (h.first_device().value + d) * each;
    for (auto leaf = first; leaf < first + each; ++leaf) out.back().add(leaf, numbers(leaf));
  }
  return out;
}

std::vector<result<array>> reduce_everywhere(world_of_hosts& world) {
  return world.everywhere([](host& h) {
    auto covers = covers_of(h);
    return h.all_reduce(covers, reduce_op::mean, soon);
  });
}

TEST(HostJoin, GivesAHostThatOwnsItsRuntime) {
  auto joined = host::join(host_options{});
  ASSERT_THAT(joined, IsOk());
  auto alone = std::move(*joined);
  EXPECT_THAT(alone.barrier("x", soon).wait(), IsOk());
  auto moved = std::move(alone);
  EXPECT_THAT(moved.leave(soon).wait(), IsOk());
  EXPECT_TRUE(moved.close().ok());
  EXPECT_THAT(moved.barrier("y", soon).wait(), FailsWith(status_code::unavailable));
}

TEST(HostJoin, EndsItsRuntimeWithAHostThatWasNotClosed) {
  op<void> pending;
  {
    auto first = host::join(host_options{}).value();
    pending = first.barrier("x", soon);
  }
  EXPECT_TRUE(pending.done());
}

TEST(HostJoin, SaysWhyItCannotJoin) {
  host_options none;
  none.world_size = 0;
  EXPECT_THAT(host::join(none), FailsWith(status_code::invalid_argument));
}

TEST(FirstLight, JoinsHostsThatThenAgreeOnTheirTable) {
  world_of_hosts world(4, 2);
  for (std::uint32_t r = 0; r < 4; ++r) {
    EXPECT_EQ(world.hosts.at(r).rank(), rank{r});
    EXPECT_EQ(world.hosts.at(r).members(), world.hosts.at(0).members());
    EXPECT_EQ(world.hosts.at(r).first_device(), device_index{2 * r});
  }
  EXPECT_EQ(world.hosts.at(0).device_count(), 8u);
}

TEST(FirstLight, PassesBarriersThroughTreesOfAnyFanOut) {
  for (std::uint32_t fan_out : {2u, 3u, 16u}) {
    world_of_hosts world(5, 1, fan_out);
    for (int round = 0; round < 20; ++round)
      EXPECT_THAT(world.everywhere([](host& h) { return h.barrier("round", soon); }), Each(IsOk()));
  }
}

TEST(FirstLight, HoldsABarrierUntilTheLastHostArrives) {
  world_of_hosts world(2);
  auto first = world.hosts[0].barrier("x", soon);
  EXPECT_THAT(world.everywhere([](host& h) { return h.barrier("y", soon); }), Each(IsOk()));
  EXPECT_FALSE(first.done());
  auto second = world.hosts[1].barrier("x", soon);
  EXPECT_THAT(first.wait(), IsOk());
  EXPECT_THAT(second.wait(), IsOk());
}

TEST(FirstLight, TellsEveryHostWhoSaidWhatWhenNamesDiffer) {
  world_of_hosts world(3);
  auto outcomes = world.everywhere([](host& h) {
    return h.sync_global_devices(h.rank() == rank{1} ? "epoch 2" : "epoch 1", soon);
  });
  EXPECT_THAT(outcomes, Each(FailsWith(status_code::mismatch)));
  for (auto& o : outcomes) {
    EXPECT_THAT(to_string(o.why()), HasSubstr("epoch 2"));
    EXPECT_EQ(o.why(), outcomes[0].why());
  }
}

TEST(FirstLight, BroadcastsBytesExactly) {
  world_of_hosts world(4);
  tree sent;
  sent.set("nan", array::of(std::vector<float>{std::bit_cast<float>(0x7fc0'1234u), -0.0f}));
  sent.set("text", std::string("a\0b", 3));
  auto got = world.everywhere([&](host& h) {
    return h.rank() == rank{2} ? h.broadcast_one_to_all(sent, {rank{2}, 1s, 20s})
                               : h.broadcast_one_to_all({rank{2}, 1s, 20s});
  });
  for (auto& t : got) {
    ASSERT_THAT(t, IsOk());
    EXPECT_EQ(*t, sent);
  }
}

TEST(FirstLight, ReducesToTheSameBytesOnAnyNumberOfHostsAndDevices) {
  std::vector<array> means;
  for (auto [hosts, devices] : {std::pair{4u, 2u}, {1u, 8u}, {2u, 1u}, {8u, 1u}}) {
    world_of_hosts world(hosts, devices);
    for (auto& mean : reduce_everywhere(world)) {
      ASSERT_THAT(mean, IsOk());
      means.push_back(*mean);
    }
  }
  EXPECT_THAT(means, Each(means.front()));
}

TEST(FirstLight, NamesTheMissingRankAtTheHardDeadline) {
  world_of_hosts world(3);
  auto a = world.hosts[0].barrier("x", {200ms, 1s});
  auto b = world.hosts[2].barrier("x", {200ms, 1s});
  auto outcome = a.wait();
  EXPECT_THAT(outcome, FailsWith(status_code::deadline_exceeded));
  EXPECT_EQ(outcome.why().missing(), rank_set{rank{1}});
  EXPECT_EQ(b.wait().why(), outcome.why());
  EXPECT_EQ(world.said().front().what, report::kind::stalled);
}

TEST(FirstLight, LeavesTogetherAndClosesWithoutWaitingForALease) {
  world_of_hosts world(4);
  EXPECT_THAT(world.everywhere([](host& h) { return h.leave(soon); }), Each(IsOk()));
  for (auto& h : world.hosts) EXPECT_TRUE(h.close().ok());
  EXPECT_THAT(world.hosts[0].barrier("late").wait(), FailsWith(status_code::unavailable));
}

TEST(FirstLight, FailsWhoeverWaitsForAHostThatLeaves) {
  world_of_hosts world(2);
  auto waiting = world.hosts[0].barrier("x", soon);
  auto leaving = world.hosts[1].leave(soon);
  EXPECT_THAT(waiting.wait(), FailsWith(status_code::left));
  EXPECT_THAT(world.hosts[0].leave(soon).wait(), IsOk());
  EXPECT_THAT(leaving.wait(), IsOk());
}

TEST(FirstLight, CancelsForEverybody) {
  world_of_hosts world(2);
  auto a = world.hosts[0].barrier("x", soon);
  a.cancel();
  EXPECT_THAT(a.wait(), FailsWith(status_code::cancelled));
  EXPECT_THAT(world.hosts[1].barrier("x", soon).wait(), FailsWith(status_code::cancelled));
}

TEST(FirstLight, RefusesOrderedCallsOfASecondThreadMeanwhile) {
  world_of_hosts world(2);
  auto pending = world.hosts[0].sync_global_devices("x", soon);
  std::thread([&] {
    EXPECT_THAT(world.hosts[0].sync_global_devices("y", soon).wait(),
                FailsWith(status_code::invalid_argument));
  }).join();
  EXPECT_THAT(world.hosts[1].sync_global_devices("x", soon).wait(), IsOk());
  EXPECT_THAT(pending.wait(), IsOk());
}

TEST(FirstLight, RunsLaunchesOnItsDevicesAndCountsThem) {
  world_of_hosts world(1, 2);
  std::thread::id where;
  EXPECT_THAT(world.hosts[0]
                  .devices()[1]
                  .launch("look", [&] { where = std::this_thread::get_id(); })
                  .wait(),
              IsOk());
  EXPECT_NE(where, std::this_thread::get_id());
  EXPECT_EQ(world.hosts[0].devices()[1].counters().launches, 1u);
  EXPECT_EQ(world.hosts[0].devices()[0].counters().launches, 0u);
}

TEST(FirstLight, EndsPendingOperationsWhenTheRuntimeEnds) {
  op<void> pending;
  {
    world_of_hosts world(2);
    pending = world.hosts[0].barrier("x");
  }
  EXPECT_THAT(pending.wait(), FailsWith(status_code::unavailable));
}

TEST(FirstLight, SaysWhyAJoinWaitsAndFailsItAtItsTimeOut) {
  std::mutex mutex;
  std::vector<std::string> said;
  runtime rt(runtime_options{[&](const report& r) {
    std::lock_guard lock(mutex);
    said.push_back(to_string(r));
  }});
  auto o = world_of_hosts::options(1, 2, free_port_pair());
  o.join_timeout = 500ms;
  EXPECT_THAT(rt.join(o), FailsWith(status_code::deadline_exceeded));
}

}  // namespace
}  // namespace muster::testing
