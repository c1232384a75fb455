// What every back end must do, written once and instantiated for each.
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/limits.hpp>
#include <muster/tests/devices/device_under_test.hpp>

namespace muster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t memory_bytes = 1 << 20;

class DeviceConformance : public ::testing::TestWithParam<const char*> {
 protected:
  device& dev() { return under_test_->get(); }
  event_progress settle() { return under_test_->settle_all(); }
  void launch(std::function<void()> f) { ASSERT_TRUE(dev().launch("test", std::move(f)).ok()); }
  /// Something runs or waits from now on, until open() is called.
  void hold() {
    launch([gate = gate_] { gate->wait(false); });
  }
  void open() {
    gate_->store(true);
    gate_->notify_all();
  }

  // A held CPU device waits in its launch; the simulated one just isn't run, and finds the gate open later.
  std::shared_ptr<std::atomic<bool>> gate_ = std::make_shared<std::atomic<bool>>(false);
  std::unique_ptr<test::device_under_test> under_test_ =
      test::make_device_under_test(GetParam(), memory_bytes);
};

TEST_P(DeviceConformance, SaysItsKind) { EXPECT_EQ(dev().kind(), GetParam()); }

TEST_P(DeviceConformance, RunsLaunchesInTheOrderInWhichTheyWereQueued) {
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) launch([&order, i] { order.push_back(i); });
  EXPECT_EQ(settle(), event_progress::done);
  ASSERT_EQ(order.size(), 100u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_P(DeviceConformance, AnEventIsPendingUntilAllBeforeItIsDone) {
  hold();
  const auto after_hold = dev().record();
  launch([] {});
  const auto after_both = dev().record();
  EXPECT_EQ(dev().query(after_hold), event_progress::pending);
  EXPECT_EQ(dev().query(after_both), event_progress::pending);
  open();
  EXPECT_EQ(under_test_->settle(after_both), event_progress::done);
  EXPECT_EQ(dev().query(after_hold), event_progress::done);
}

TEST_P(DeviceConformance, AnEventOfAnIdleDeviceIsDoneAtOnce) {
  EXPECT_EQ(dev().query(dev().record()), event_progress::done);
}

TEST_P(DeviceConformance, CopiesInAndOutInStreamOrder) {
  auto buffer = dev().allocate(16).value();
  const std::array<float, 4> in{1, 2, 3, 4};
  std::array<float, 4> out{};
  ASSERT_TRUE(dev().copy_in(buffer, std::as_bytes(std::span(in))).ok());
  launch([at = buffer.data()] { reinterpret_cast<float*>(at)[2] = 30; });
  ASSERT_TRUE(dev().copy_out(std::as_writable_bytes(std::span(out)), buffer).ok());
  EXPECT_EQ(settle(), event_progress::done);
  EXPECT_THAT(out, ElementsAre(1, 2, 30, 4));
}

TEST_P(DeviceConformance, RefusesACopyThatIsLargerThanItsBuffer) {
  auto buffer = dev().allocate(4).value();
  std::array<std::byte, 5> bytes{};
  EXPECT_EQ(dev().copy_in(buffer, bytes).code, status_code::invalid_argument);
  EXPECT_EQ(dev().copy_out(bytes, buffer).code, status_code::invalid_argument);
  EXPECT_TRUE(dev().failure().ok());
}

TEST_P(DeviceConformance, CopiesNoBytes) {
  auto buffer = dev().allocate(0).value();
  ASSERT_TRUE(dev().copy_in(buffer, {}).ok());
  ASSERT_TRUE(dev().copy_out({}, buffer).ok());
  EXPECT_EQ(settle(), event_progress::done);
}

TEST_P(DeviceConformance, AlignsAllocationsForVectorUnits) {
  std::vector<device_buffer> buffers;
  for (std::size_t bytes : {1u, 3u, 64u, 100u}) {
    buffers.push_back(dev().allocate(bytes).value());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffers.back().data()) % 64, 0u);
    EXPECT_EQ(buffers.back().size(), bytes);
  }
}

TEST_P(DeviceConformance, GivesOutItsMemoryOnceAndAgainWhenItIsFree) {
  auto all = dev().allocate(memory_bytes);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(dev().allocate(1).why().code, status_code::resource_exhausted);
  EXPECT_THAT(dev().allocate(1).why().text, HasSubstr("1048576 of 1048576 in use"));
  *all = device_buffer{};
  EXPECT_TRUE(dev().allocate(memory_bytes).ok());
  EXPECT_TRUE(dev().failure().ok());
}

TEST_P(DeviceConformance, FreesABufferOnlyAfterTheWorkBeforeIt) {
  hold();
  auto buffer = dev().allocate(memory_bytes).value();
  launch([at = buffer.data()] { std::memset(at, 7, memory_bytes); });
  buffer = device_buffer{};
  EXPECT_EQ(dev().allocate(1).why().code, status_code::resource_exhausted);
  open();
  EXPECT_EQ(settle(), event_progress::done);
  EXPECT_TRUE(dev().allocate(memory_bytes).ok());
}

TEST_P(DeviceConformance, SharesBytesInAndOut) {
  auto buffer = dev().share_in(payload::adopt(std::vector<double>{1, 2, 3})).value();
  ASSERT_EQ(buffer.size(), 24u);
  auto target = dev().allocate(24).value();
  launch([to = target.data(), from = buffer.data()] { std::memcpy(to, from, 24); });
  buffer = device_buffer{};
  auto bytes = dev().share_out(std::move(target)).value();
  EXPECT_EQ(settle(), event_progress::done);
  EXPECT_EQ(bytes, payload::adopt(std::vector<double>{1, 2, 3}));
}

TEST_P(DeviceConformance, SharesUnalignedBytesInAtAnAlignedAddress) {
  const auto whole = payload::copy_of(std::string_view("0123456789abcdef0123456789abcdef"));
  auto buffer = dev().share_in(whole.part(1, 24)).value();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 16, 0u);
  std::string seen(24, '?');
  ASSERT_TRUE(dev().copy_out(std::as_writable_bytes(std::span(seen)), buffer).ok());
  EXPECT_EQ(settle(), event_progress::done);
  EXPECT_EQ(seen, "123456789abcdef012345678");
}

TEST_P(DeviceConformance, KeepsSharedOutBytesWhoeverDropsTheBufferOrTheDevice) {
  auto buffer = dev().allocate(1).value();
  launch([at = buffer.data()] { *at = std::byte{42}; });
  auto bytes = dev().share_out(std::move(buffer)).value();
  EXPECT_EQ(settle(), event_progress::done);
  under_test_.reset();
  EXPECT_EQ(bytes.bytes()[0], std::byte{42});
}

TEST_P(DeviceConformance, CountsLaunchesAndBytesReduced) {
  ASSERT_TRUE(dev()
                  .launch(
                      "a", [] {}, 100)
                  .ok());
  ASSERT_TRUE(dev()
                  .launch(
                      "b", [] {}, 20)
                  .ok());
  EXPECT_EQ(settle(), event_progress::done);
  const auto counters = dev().counters();
  EXPECT_EQ(counters.launches, 2u);
  EXPECT_EQ(counters.bytes_reduced, 120u);
  EXPECT_GT(counters.busy, duration::zero());
}

TEST_P(DeviceConformance, FailsStickilyWhenALaunchThrows) {
  const auto before = [&] {
    launch([] {});
    return dev().record();
  }();
  ASSERT_EQ(under_test_->settle(before), event_progress::done);
  launch([] { throw std::runtime_error("a bad day"); });
  EXPECT_EQ(settle(), event_progress::failed);
  EXPECT_EQ(dev().query(before), event_progress::done);
  EXPECT_EQ(dev().failure().code, status_code::device_error);
  EXPECT_EQ(dev().failure().text, std::string(GetParam()) + ": launch 'test' threw: a bad day");
  EXPECT_EQ(dev().launch("next", [] {}), dev().failure());
  EXPECT_EQ(dev().share_in(payload{}).why(), dev().failure());
}

TEST_P(DeviceConformance, RunsNothingAfterALaunchThatThrew) {
  bool ran = false;
  hold();
  launch([] { throw 7; });
  launch([&ran] { ran = true; });
  open();
  EXPECT_EQ(settle(), event_progress::failed);
  EXPECT_THAT(dev().failure().text, HasSubstr("no exception"));
  EXPECT_FALSE(ran);
}

TEST_P(DeviceConformance, DestroysAFunctionBeforeItsEventIsDone) {
  auto owned = std::make_shared<int>(1);
  launch([owned] {});
  EXPECT_EQ(settle(), event_progress::done);
  EXPECT_EQ(owned.use_count(), 1);
}

TEST_P(DeviceConformance, HoldsAtMostDeviceQueueMax) {
  hold();
  status refused;
  std::size_t queued = 0;
  while (queued <= limits::device_queue_max && refused.ok()) {
    refused = dev().launch("more", [] {});
    if (refused.ok()) ++queued;
  }
  EXPECT_GE(queued,
            limits::device_queue_max - 1);  // less one where the held launch itself still waits
  EXPECT_EQ(refused.code, status_code::resource_exhausted);
  open();
  EXPECT_EQ(settle(), event_progress::done);
  EXPECT_TRUE(dev().launch("again", [] {}).ok());
}

TEST_P(DeviceConformance, DropsWhatHasNotBegunWhenItIsClosed) {
  auto owned = std::make_shared<int>(1);
  launch([this, owned] {
    open();
    gate_->wait(false);
  });
  for (int i = 0; i < 10; ++i) launch([owned] {});
  const auto last = dev().record();
  dev().close();
  dev().close();
  EXPECT_NE(dev().query(last), event_progress::pending);
  EXPECT_EQ(dev().failure().code, status_code::cancelled);
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_EQ(dev().launch("late", [] {}).code, status_code::cancelled);
}

TEST_P(DeviceConformance, KeepsTheFirstFailureWhenItIsClosed) {
  launch([] { throw std::runtime_error("first"); });
  EXPECT_EQ(settle(), event_progress::failed);
  dev().close();
  EXPECT_EQ(dev().failure().code, status_code::device_error);
}

TEST_P(DeviceConformance, FoldsAnExpressionInOnePass) {
  std::vector<device_buffer> in;
  for (float v : {1.f, 2.f, 4.f})
    in.push_back(dev().share_in(payload::adopt(std::vector<float>(1000, v))).value());
  auto out = dev().allocate(4000).value();
  fold_launch fold{
      dtype::f32, reduce_op::mean, 4, false, true, 1000, {in[0].data(), in[1].data(), in[2].data()},
      {}};
  fold.outputs.push_back(
      {out.data(), {{0, 1, fold_expression::combine, 2, fold_expression::combine}, 2}});
  ASSERT_TRUE(dev().launch(fold).ok());
  auto bytes = dev().share_out(std::move(out)).value();
  EXPECT_EQ(settle(), event_progress::done);
  EXPECT_EQ(bytes, payload::adopt(std::vector<float>(1000, 1.75f)));
  EXPECT_EQ(dev().counters().bytes_reduced, 12'000u);
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceConformance, ::testing::Values("cpu", "simulated"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace muster
