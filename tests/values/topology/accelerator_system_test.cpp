#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/topology/accelerator_system.hpp>

namespace muster {
namespace {

using step = accelerator_system::step;
using testing::HasSubstr;

accelerator_request hosts(std::uint32_t count) {
  accelerator_request request;
  request.hosts = count;
  return request;
}

accelerator_request gpus(std::uint32_t physical, std::uint32_t logical) {
  accelerator_request request;
  request.device_type = "cuda";
  request.physical_gpus = physical;
  request.logical_gpus = logical;
  return request;
}

status lost(std::string text) { return error(status_code::device_error, std::move(text)); }

accelerator_system running(std::uint32_t count) {
  accelerator_system system;
  EXPECT_TRUE(system.initialize(hosts(count)).ok());
  while (system.due() != step::none) EXPECT_TRUE(system.done({}).ok());
  return system;
}

TEST(AcceleratorRequest, NamesAnUnknownDeviceType) {
  for (const std::string type : {"", "tpu", "GPU", "gpu "}) {
    auto request = hosts(1);
    request.device_type = type;
    EXPECT_THAT(logical_cpus_of(request).why().text, HasSubstr("must be 'cpu' or 'cuda'")) << type;
  }
}

TEST(AcceleratorRequest, RefusesAWorldWithoutHosts) {
  EXPECT_THAT(logical_cpus_of(hosts(0)).why().text, HasSubstr("0 hosts"));
}

TEST(AcceleratorRequest, SharesNoPhysicalGpuWhereTheLibraryCannot) {
  auto request = gpus(2, 3);
  EXPECT_TRUE(logical_cpus_of(request).ok());
  request.needs_own_gpus = true;
  EXPECT_THAT(logical_cpus_of(request).why().text,
              HasSubstr("3 logical cuda devices on 2 physical"));
}

TEST(AcceleratorRequest, GivesEachGpuACpuDevice) {
  auto request = gpus(4, 4);
  EXPECT_EQ(logical_cpus_of(request).value(), 4U);
  request.wanted_cpus = 3;
  EXPECT_THAT(logical_cpus_of(request).why().text, HasSubstr("3 logical CPU devices beside 4"));
  request.wanted_cpus = 5;
  EXPECT_EQ(logical_cpus_of(request).value(), 5U);
}

TEST(AcceleratorSystem, JoinsAWorldOfManyHostsOnceItsDevicesAreOpen) {
  accelerator_system system;
  EXPECT_EQ(system.initialize(hosts(2)).value(), step::open_devices);
  EXPECT_EQ(system.done({}).value(), step::join_world);
  EXPECT_FALSE(system.running());
  EXPECT_EQ(system.done({}).value(), step::none);
  EXPECT_TRUE(system.running());
}

TEST(AcceleratorSystem, RefusesToStartTwice) {
  auto system = running(1);
  EXPECT_THAT(system.initialize(hosts(1)).why().text, HasSubstr("already initialized"));
  EXPECT_TRUE(system.running());
}

TEST(AcceleratorSystem, RefusesToStartWhileItStartsOrStops) {
  accelerator_system system;
  ASSERT_TRUE(system.initialize(hosts(1)).ok());
  EXPECT_FALSE(system.initialize(hosts(1)).ok());
  EXPECT_FALSE(system.shut_down().ok());
  ASSERT_TRUE(system.done({}).ok());
  ASSERT_TRUE(system.shut_down().ok());
  EXPECT_FALSE(system.initialize(hosts(1)).ok());
  EXPECT_FALSE(system.shut_down().ok());
}

TEST(AcceleratorSystem, StaysShutDownAfterABadRequest) {
  accelerator_system system;
  EXPECT_FALSE(system.initialize(hosts(0)).ok());
  EXPECT_TRUE(system.initialize(hosts(1)).ok());
}

TEST(AcceleratorSystem, RefusesToStopWhatWasNotStarted) {
  accelerator_system system;
  EXPECT_THAT(system.shut_down().why().text, HasSubstr("not initialized"));
  EXPECT_FALSE(system.done({}).ok());
  EXPECT_FALSE(system.fail(lost("x")).ok());
}

TEST(AcceleratorSystem, LeavesManyHostsBeforeItClosesDevices) {
  auto system = running(3);
  EXPECT_EQ(system.shut_down().value(), step::leave_world);
  EXPECT_EQ(system.done({}).value(), step::close_devices);
  EXPECT_EQ(system.done({}).value(), step::none);
  EXPECT_TRUE(system.outcome().ok());
}

TEST(AcceleratorSystem, ClosesALoneHostWithoutLeaving) {
  auto system = running(1);
  EXPECT_EQ(system.shut_down().value(), step::close_devices);
}

TEST(AcceleratorSystem, StartsAndStopsAHundredTimes) {
  accelerator_system system;
  for (std::uint32_t cycle = 0; cycle < 100; ++cycle) {
    ASSERT_TRUE(system.initialize(hosts(1 + cycle % 3)).ok()) << cycle;
    while (system.due() != step::none) ASSERT_TRUE(system.done({}).ok());
    ASSERT_TRUE(system.running()) << cycle;
    ASSERT_TRUE(system.shut_down().ok());
    while (system.due() != step::none) ASSERT_TRUE(system.done({}).ok());
    ASSERT_FALSE(system.running()) << cycle;
  }
}

TEST(AcceleratorSystem, ClosesDevicesThatCouldNotOpenOrJoin) {
  for (int failing = 0; failing < 2; ++failing) {
    accelerator_system system;
    ASSERT_TRUE(system.initialize(hosts(2)).ok());
    if (failing == 1) {
      ASSERT_TRUE(system.done({}).ok());
    }
    EXPECT_EQ(system.done(lost("broken")).value(), step::close_devices);
    EXPECT_EQ(system.done({}).value(), step::none);
    EXPECT_FALSE(system.running());
    EXPECT_EQ(system.outcome(), lost("broken"));
  }
}

TEST(AcceleratorSystem, KeepsTheFirstErrorAndAttachesLaterOnes) {
  auto system = running(2);
  ASSERT_TRUE(system.fail(lost("first")).ok());
  ASSERT_TRUE(system.shut_down().ok());
  ASSERT_TRUE(system.done(error(status_code::left, "second")).ok());
  ASSERT_TRUE(system.done(lost("third")).ok());
  EXPECT_EQ(system.outcome(), lost("first; then left: second; then device_error: third"));
}

TEST(AcceleratorSystem, CountsTheErrorsThatItDoesNotList) {
  auto system = running(1);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(system.fail(lost("e")).ok());
  EXPECT_THAT(system.outcome().text, HasSubstr("; then 3 more"));
}

TEST(AcceleratorSystem, ForgetsOldErrorsWhenItStartsAgain) {
  auto system = running(1);
  ASSERT_TRUE(system.fail(lost("old")).ok());
  ASSERT_TRUE(system.shut_down().ok());
  ASSERT_TRUE(system.done({}).ok());
  ASSERT_TRUE(system.initialize(hosts(1)).ok());
  EXPECT_TRUE(system.outcome().ok());
}

}  // namespace
}  // namespace muster
