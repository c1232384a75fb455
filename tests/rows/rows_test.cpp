// Each row in virtual worlds of several placements.
#include <gtest/gtest.h>

#include <muster/runtime/simulation/simulation.hpp>
#include <muster/tests/rows/rows.hpp>

namespace muster::rows {
namespace {

class InAVirtualWorld : public ::testing::TestWithParam<row> {};

TEST_P(InAVirtualWorld, Holds) {
  using placement = std::vector<std::uint32_t>;
  for (const auto& devices :
       {placement{2, 2, 2, 2}, placement{1}, placement{2, 1, 3, 1, 1, 1, 1}}) {
    simulation_options o;
    o.devices = devices;
    o.fan_out = 2;
    simulation world(o);
    world.start_everywhere([run = GetParam().run](host& h) -> task<void> {
      co_await run(h);
      co_await h.leave();
    });
    EXPECT_EQ(to_string(world.run()), to_string(status{})) << to_string(o);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, InAVirtualWorld, ::testing::ValuesIn(all().begin(), all().end()),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(Rows, LeaveTheWorldAsTheyFoundIt) {
  simulation_options o;
  o.hosts = 4;
  o.devices_per_host = 2;
  simulation world(o);
  world.start_everywhere([](host& h) -> task<void> {
    for (int round = 0; round < 2; ++round)
      for (const auto& r : all()) co_await r.run(h);
    co_await h.leave();
  });
  EXPECT_EQ(to_string(world.run()), to_string(status{}));
}

}  // namespace
}  // namespace muster::rows
