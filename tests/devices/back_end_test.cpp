// What only one back end does: the CPU's thread, the simulated device's cost.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <signal.h>

#include <gtest/gtest.h>

#include <muster/tests/devices/device_under_test.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST(CpuDevice, RunsOnANamedThreadOfItsOwnThatTakesNoSignals) {
  test::cpu_under_test on{{.index = 3}};
  std::string name(16, '\0');
  std::thread::id thread;
  bool blocks = false;
  ASSERT_TRUE(on.get()
                  .launch("look",
                          [&] {
                            pthread_getname_np(pthread_self(), name.data(), name.size());
                            thread = std::this_thread::get_id();
                            sigset_t blocked;
                            pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
                            blocks = sigismember(&blocked, SIGTERM) == 1;
                          })
                  .ok());
  EXPECT_EQ(on.settle_all(), event_progress::done);
  EXPECT_STREQ(name.c_str(), "muster-cpu:3");
  EXPECT_NE(thread, std::this_thread::get_id());
  EXPECT_TRUE(blocks);
}

TEST(CpuDevice, LeavesALaunchThatDoesNotEndToItsThread) {
  auto gate = std::make_shared<std::atomic<int>>(0);
  auto device = make_cpu_device({.close_max = 0s});
  auto memory = device->share_out(device->allocate(8).value()).value();
  ASSERT_TRUE(device
                  ->launch("endless",
                           [gate, memory] {
                             gate->store(1);
                             gate->notify_all();
                             gate->wait(1);
                             gate->store(3);
                             gate->notify_all();
                           })
                  .ok());
  gate->wait(0);
  device.reset();
  memory = payload{};
  EXPECT_EQ(gate->load(), 1) << "the launch still runs";
  gate->store(2);
  gate->notify_all();
  gate->wait(2);
}

TEST(SimulatedDevice, CostsALaunchAndItsBytesInVirtualTime) {
  test::simulated_under_test on{{.launch_cost = 10us, .bytes_per_microsecond = 1'000}};
  ASSERT_TRUE(on.get()
                  .launch(
                      "reads 5 us", [] {}, 5'000)
                  .ok());
  ASSERT_TRUE(on.get().launch("reads nothing", [] {}).ok());
  EXPECT_EQ(on.settle_all(), event_progress::done);
  EXPECT_EQ(on.driver().elapsed(), 25us);
  EXPECT_EQ(on.get().counters().busy, 25us);
}

TEST(SimulatedDevice, RunsNothingUntilItsDriverSaysSo) {
  test::hand_driver driver;
  auto device = make_simulated_device(driver);
  bool ran = false;
  ASSERT_TRUE(device->launch("later", [&] { ran = true; }).ok());
  EXPECT_FALSE(ran);
  EXPECT_TRUE(driver.run_next());
  EXPECT_TRUE(ran);
  EXPECT_FALSE(driver.run_next());
}

TEST(SimulatedDevice, MayBeGoneBeforeItsCompletionComes) {
  test::hand_driver driver;
  auto device = make_simulated_device(driver);
  ASSERT_TRUE(device->launch("never", [] { FAIL(); }).ok());
  device.reset();
  EXPECT_TRUE(driver.run_next());
}

TEST(SimulatedDevice, WakesAfterEachPointThatWasRecorded) {
  test::hand_driver driver;
  auto device = make_simulated_device(driver);
  int wakes = 0;
  device->on_progress([&] { ++wakes; });
  ASSERT_TRUE(device->launch("first", [] {}).ok());
  (void)device->record();
  ASSERT_TRUE(device->launch("second, unrecorded", [] {}).ok());
  EXPECT_TRUE(driver.run_next());
  EXPECT_EQ(wakes, 1);
  EXPECT_TRUE(driver.run_next());
  EXPECT_EQ(wakes, 1);
}

}  // namespace
}  // namespace muster
