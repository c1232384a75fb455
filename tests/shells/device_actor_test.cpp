// The device actor over a simulated device (CAF's test scheduler, everything by hand) and over a real CPU
// device (detached, on threads; every wait has a bound and nothing is timed).
#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/actors/shells/device_actor.hpp>
#include <muster/actors/shells/ordered_actor.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/tests/devices/device_under_test.hpp>

namespace muster {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

signature sum_of(std::uint64_t leaf_count) {
  signature said;
  said.kind = op_kind::all_reduce;
  said.reduce = reduce_op::sum;
  said.dtype = dtype::f32;
  said.shape = {2};
  said.leaf_count = leaf_count;
  return said;
}

payload pair_of(float a, float b) { return payload::adopt(std::vector<float>{a, b}); }

using codes = std::vector<status_code>;
using replies = std::vector<std::pair<status, contribution>>;

/// An extender's actor: sends a device actor what it is told to and notes what comes back.
class extender final : public ordered_actor {
 public:
  extender(caf::actor_config& config, caf::actor device, replies& heard, std::string& ended)
      : ordered_actor(config), device_(std::move(device)), heard_(heard) {
    monitor(device_);
    set_down_handler([&ended](caf::down_msg& down) { ended = to_string(down.reason); });
  }
  caf::behavior make_behavior() override {
    return {
        [this](launch_kernel& order) { send(device_, std::move(order)); },
        [this](reduce_cover& order) { send(device_, std::move(order)); },
        [this](fold_partials& order) {
          request(device_, caf::infinite, std::move(order)).then([this](fold_done& d) { note(d); });
        },
        [this](launch_done& d) {
          after_sender();
          heard_.emplace_back(std::move(d.outcome), contribution{});
        },
        [this](fold_done& d) { note(d); },
    };
  }

 private:
  void note(fold_done& d) {
    after_sender();
    heard_.emplace_back(std::move(d.outcome), std::move(d.result));
  }
  caf::actor device_;
  replies& heard_;
};

// ---- over a simulated device

class DeviceActor : public ::testing::Test {
 protected:
  DeviceActor() {
    auto fresh = make_simulated_device(driver_);
    std::shared_ptr<device> shared = std::move(fresh);
    view_ = shared;
    actor_ = system_.spawn<device_actor>(std::move(shared));
    extender_ = system_.spawn<extender>(actor_, heard_, ended_);
    run_actors();
  }
  ~DeviceActor() override {
    caf::anon_send_exit(extender_, caf::exit_reason::kill);
    caf::anon_send_exit(actor_, caf::exit_reason::kill);
    run_actors();
  }
  void run_actors() { dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler()).run(); }
  void run_device() {
    while (driver_.run_next()) {
    }
    run_actors();
  }
  template <class Message>
  void tell(Message m) {
    caf::anon_send(actor_, std::move(m));
    run_actors();
  }
  launch_kernel launch(std::function<void()> kernel) {
    return {"test", std::move(kernel), 0, [this](status s) { answered_.push_back(s.code); }};
  }
  device_report report() {
    caf::scoped_actor self{system_};
    self->send(actor_, ask_device{});
    run_actors();
    device_report seen;
    self->receive([&](device_report& r) { seen = std::move(r); });
    return seen;
  }

  test::hand_driver driver_;
  caf::actor_system_config config_;
  caf::actor_system system_{config_.set("scheduler.policy", caf::atom("testing"))};
  std::shared_ptr<const device> view_;
  caf::actor actor_, extender_;
  codes answered_;
  replies heard_;
  std::string ended_;
};

TEST_F(DeviceActor, AnswersALaunchWhenItIsDoneAndNotBefore) {
  bool ran = false;
  tell(launch([&ran] { ran = true; }));
  EXPECT_THAT(answered_, IsEmpty());
  run_device();
  EXPECT_TRUE(ran);
  EXPECT_THAT(answered_, ElementsAre(status_code::ok));
}

TEST_F(DeviceActor, RepliesToASenderThatGaveNoFunction) {
  caf::anon_send(extender_, launch_kernel{"test", [] {}, 0, {}});
  caf::anon_send(extender_, reduce_cover{sum_of(2), {{1, array::of<float>({1, 2})}}, {}});
  run_actors();
  EXPECT_THAT(heard_, IsEmpty());
  run_device();
  ASSERT_THAT(heard_, SizeIs(2));
  EXPECT_TRUE(heard_[0].first.ok());
  EXPECT_THAT(heard_[1].second.parts, ElementsAre(subtree{1, 2}));
}

TEST_F(DeviceActor, RespondsToARequest) {
  const contribution whole{{{0, 2}}, {pair_of(5, 6)}};
  caf::anon_send(extender_, fold_partials{sum_of(2), true, {whole}, {}});
  run_actors();
  run_device();
  ASSERT_THAT(heard_, SizeIs(1));
  EXPECT_EQ(heard_[0].second, whole);
}

TEST_F(DeviceActor, MakesACoverAndFoldsItWithAnothersToTheResult) {
  contribution mine, whole;
  const auto keep = [](contribution& to) {
    return [&to](status, contribution c) { to = std::move(c); };
  };
  tell(reduce_cover{
      sum_of(3), {{1, array::of<float>({1, 2})}, {0, array::of<float>({3, 4})}}, keep(mine)});
  run_device();
  EXPECT_THAT(mine.parts, ElementsAre(subtree{0, 2}));
  tell(fold_partials{sum_of(3), true, {{{{2, 3}}, {pair_of(10, 20)}}, mine}, keep(whole)});
  run_device();
  EXPECT_EQ(whole, (contribution{{{0, 3}}, {pair_of(14, 26)}}));
}

TEST_F(DeviceActor, AnswersAtOnceWhatNeedsNoLaunch) {
  codes seen;
  tell(reduce_cover{sum_of(2), {}, [&seen](status s, contribution) { seen.push_back(s.code); }});
  EXPECT_THAT(seen, ElementsAre(status_code::ok));
}

TEST_F(DeviceActor, ReportsWhileWorkIsPending) {
  tell(launch([] {}));
  EXPECT_EQ(report().in_flight, 1u);
  EXPECT_EQ(report().kind, "simulated");
  run_device();
  EXPECT_EQ(report().in_flight, 0u);
  EXPECT_EQ(report().answered, 1u);
  EXPECT_EQ(report().counters.launches, 1u);
}

TEST_F(DeviceActor, RefusesWhatBreaksARuleAndLivesOn) {
  status why;
  tell(fold_partials{sum_of(2), true, {}, [&why](status s, contribution) { why = std::move(s); }});
  EXPECT_EQ(why.code, status_code::invalid_argument);
  tell(launch({}));
  tell(launch([] {}));
  run_device();
  EXPECT_THAT(answered_, ElementsAre(status_code::invalid_argument, status_code::ok));
}

TEST_F(DeviceActor, HoldsAtMostDeviceCommandsMax) {
  for (std::size_t i = 0; i < limits::device_commands_max; ++i) tell(launch([] {}));
  EXPECT_THAT(answered_, IsEmpty());
  tell(launch([] {}));
  EXPECT_THAT(answered_, ElementsAre(status_code::resource_exhausted));
  answered_.clear();
  run_device();
  EXPECT_THAT(answered_, SizeIs(limits::device_commands_max));
  EXPECT_THAT(answered_, Each(status_code::ok));
}

TEST_F(DeviceActor, AnswersEverythingWithTheDevicesErrorAndEnds) {
  tell(launch([] {}));
  tell(launch([] { throw std::runtime_error("a bad day"); }));
  tell(launch([] {}));
  while (driver_.run_next()) {
  }
  for (int i = 0; i < 3; ++i)
    caf::anon_send(actor_, launch([] {}));  // after the failure, in the mailbox
  run_actors();
  ASSERT_THAT(answered_, SizeIs(6));
  EXPECT_EQ(answered_[0], status_code::ok);
  answered_.erase(answered_.begin());
  EXPECT_THAT(answered_, Each(status_code::device_error));
  EXPECT_THAT(ended_, HasSubstr("launch 'test' threw: a bad day"));
}

TEST_F(DeviceActor, EndsAlsoWhenTheFailedLaunchWasItsOnlyOne) {
  tell(launch([] { throw std::runtime_error("a bad day"); }));
  run_device();
  EXPECT_THAT(answered_, ElementsAre(status_code::device_error));
  EXPECT_THAT(ended_, HasSubstr("a bad day"));
}

TEST_F(DeviceActor, AnswersCancelledWhenItEndsBeforeTheWork) {
  bool ran = false;
  tell(launch([&ran] { ran = true; }));
  caf::anon_send(extender_, launch_kernel{"test", [] {}, 0, {}});
  run_actors();
  caf::anon_send_exit(actor_, caf::exit_reason::user_shutdown);
  run_actors();
  EXPECT_THAT(answered_, ElementsAre(status_code::cancelled));
  ASSERT_THAT(heard_, SizeIs(1));
  EXPECT_EQ(heard_[0].first.code, status_code::cancelled);
  run_device();
  EXPECT_FALSE(ran);
  EXPECT_THAT(answered_, SizeIs(1));
}

TEST_F(DeviceActor, AnswersCancelledWhatIsStillInItsMailbox) {
  caf::anon_send_exit(actor_, caf::exit_reason::user_shutdown);
  caf::anon_send(actor_, launch([] {}));
  run_actors();
  EXPECT_THAT(answered_, ElementsAre(status_code::cancelled));
  tell(launch([] {}));
  EXPECT_THAT(answered_, ElementsAre(status_code::cancelled, status_code::cancelled));
}

TEST_F(DeviceActor, FinishesItsWorkWhenNobodyRefersToItAndThenClosesTheDevice) {
  tell(launch([] {}));
  caf::anon_send_exit(extender_, caf::exit_reason::kill);
  extender_ = nullptr;
  actor_ = nullptr;
  run_actors();
  EXPECT_THAT(answered_, IsEmpty());
  EXPECT_TRUE(view_->failure().ok());
  run_device();
  EXPECT_THAT(answered_, ElementsAre(status_code::ok));
  EXPECT_EQ(view_->failure().code, status_code::cancelled);
  EXPECT_EQ(view_->counters().launches, 1u) << "counters outlive the actor";
}

// ---- over a CPU device

class DeviceActorOnThreads : public ::testing::Test {
 protected:
  caf::actor spawn(std::uint32_t index) {
    return system_.spawn<device_actor, caf::detached>(make_cpu_device({.index = index}));
  }
  template <class T>
  T within_bound(std::future<T> promised) {
    if (promised.wait_for(std::chrono::minutes(1)) == std::future_status::ready)
      return promised.get();
    ADD_FAILURE() << "no answer within a minute";
    return T{};
  }
  template <class Command>
  contribution result_of(const caf::actor& on, Command command) {
    auto promised = std::make_shared<std::promise<contribution>>();
    command.done = [promised](status s, contribution c) {
      EXPECT_TRUE(s.ok()) << to_string(s);
      promised->set_value(std::move(c));
    };
    caf::anon_send(on, std::move(command));
    return within_bound(promised->get_future());
  }

  caf::actor_system_config config_;
  caf::actor_system system_{config_};
};

TEST_F(DeviceActorOnThreads, AnswersAPingWhileAKernelRuns) {
  auto began = std::make_shared<std::promise<void>>();
  auto end = std::make_shared<std::promise<void>>();
  auto answered = std::make_shared<std::promise<status_code>>();
  const auto device = spawn(0);
  caf::anon_send(device, launch_kernel{"long",
                                       [began, end] {
                                         began->set_value();
                                         end->get_future().wait();
                                       },
                                       0, [answered](status s) { answered->set_value(s.code); }});
  began->get_future().wait();
  caf::scoped_actor self{system_};
  self->request(device, std::chrono::minutes(1), ask_device{})
      .receive([](device_report& r) { EXPECT_EQ(r.in_flight, 1u); },
               [](caf::error& e) { ADD_FAILURE() << to_string(e); });
  end->set_value();
  EXPECT_EQ(within_bound(answered->get_future()), status_code::ok);
  self->send_exit(device, caf::exit_reason::user_shutdown);
}

TEST_F(DeviceActorOnThreads, ReducesOverTwoDevices) {
  const auto a = spawn(0), b = spawn(1);
  std::vector<contribution> covers;
  covers.push_back(result_of(
      a,
      reduce_cover{sum_of(4), {{0, array::of<float>({1, 1})}, {3, array::of<float>({8, 8})}}, {}}));
  covers.push_back(result_of(
      b,
      reduce_cover{sum_of(4), {{2, array::of<float>({4, 4})}, {1, array::of<float>({2, 2})}}, {}}));
  EXPECT_EQ(result_of(a, fold_partials{sum_of(4), true, covers, {}}),
            (contribution{{{0, 4}}, {pair_of(15, 15)}}));
  for (const auto& device : {a, b}) caf::anon_send_exit(device, caf::exit_reason::user_shutdown);
}

TEST_F(DeviceActorOnThreads, AnswersOnlyAfterTheRunningKernelWhenItIsToldToEnd) {
  auto began = std::make_shared<std::promise<void>>();
  auto end = std::make_shared<std::promise<void>>();
  auto ended = std::make_shared<std::atomic<bool>>(false);
  auto seen = std::make_shared<std::promise<bool>>();
  const auto device = spawn(0);
  caf::anon_send(device,
                 launch_kernel{"long",
                               [began, end, ended] {
                                 began->set_value();
                                 end->get_future().wait();
                                 ended->store(true);
                               },
                               0, [ended, seen](status) { seen->set_value(ended->load()); }});
  began->get_future().wait();
  caf::anon_send_exit(device, caf::exit_reason::user_shutdown);
  end->set_value();
  EXPECT_TRUE(within_bound(seen->get_future()));
}

TEST_F(DeviceActorOnThreads, AnswersEveryCommandOfManySendersOnce) {
  static constexpr int senders = 4, each = 100;
  auto answers = std::make_shared<std::atomic<int>>(0);
  auto all = std::make_shared<std::promise<int>>();
  const auto device = spawn(0);
  std::vector<std::future<void>> sending;
  for (int s = 0; s < senders; ++s) {
    sending.push_back(std::async(std::launch::async, [&] {
      for (int i = 0; i < each; ++i) {
        caf::anon_send(device, launch_kernel{"small", [] {}, 1,
                                             [answers, all](status outcome) {
                                               EXPECT_TRUE(outcome.ok()) << to_string(outcome);
                                               if (++*answers == senders * each)
                                                 all->set_value(*answers);
                                             }});
      }
    }));
  }
  EXPECT_EQ(within_bound(all->get_future()), senders * each);
  caf::anon_send_exit(device, caf::exit_reason::user_shutdown);
}

TEST_F(DeviceActorOnThreads, EndsWhenItsDeviceFailsAndSaysWhy) {
  caf::scoped_actor self{system_};
  const auto device = self->spawn<device_actor, caf::detached + caf::monitored>(make_cpu_device());
  self->send(device, launch_kernel{"bad", [] { throw std::runtime_error("lost"); }, 0, {}});
  status heard;
  std::string reason;
  int i = 0;
  self->receive_for(i, 2)(
      [&](launch_done& d) { heard = std::move(d.outcome); },
      [&](caf::down_msg& down) { reason = to_string(down.reason); },
      caf::after(std::chrono::minutes(1)) >> [] { ADD_FAILURE() << "nothing came"; });
  EXPECT_EQ(heard.code, status_code::device_error);
  EXPECT_THAT(reason, HasSubstr("cpu: launch 'bad' threw: lost"));
}

}  // namespace
}  // namespace muster
