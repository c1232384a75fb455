// The reactor is a thread, so these tests have threads; nothing is timed, and each wait is bounded.
#include <muster/actors/shells/reactor.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <future>
#include <memory>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include <muster/actors/shells/ordered_actor.hpp>

namespace muster::testing {
struct run_this {
  std::function<void()> work;
};
}  // namespace muster::testing
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(muster::testing::run_this)

namespace muster::testing {
namespace {

using namespace std::chrono_literals;

/// An actor bound to the reactor that runs functions.
class bound_actor final : public ordered_actor {
 public:
  bound_actor(caf::actor_config& cfg, reactor* unit) : ordered_actor(cfg), unit_(unit) {}
  using ordered_actor::enqueue;
  void enqueue(caf::mailbox_element_ptr e, caf::execution_unit*) override {
    ordered_actor::enqueue(std::move(e), unit_);
  }
  void launch(caf::execution_unit*, bool lazy, bool hide) override {
    ordered_actor::launch(unit_, lazy, hide);
  }
  caf::behavior make_behavior() override {
    return {[this](run_this& order) {
      after_sender();
      order.work();
    }};
  }

 private:
  reactor* unit_;
};

/// Counts how often it is served; wakes at a deadline or by its pipe.
class counting_client final : public reactor_client {
 public:
  counting_client() { EXPECT_EQ(pipe(ends), 0); }
  ~counting_client() { close(ends[0]), close(ends[1]); }
  void serve(time_point now) override {
    ++served;
    char c = 0;
    if (readable && read(ends[0], &c, 1) == 1) readable = false, seen.set_value();
    if (due && *due <= now) due.reset(), seen.set_value();
    if (busy_left > 0) --busy_left;
  }
  std::optional<time_point> deadline() const override { return due; }
  int descriptor() const override { return readable ? ends[0] : -1; }
  bool busy() const override { return busy_left > 0; }

  int ends[2]{};
  bool readable = false;
  int served = 0, busy_left = 0;
  std::optional<time_point> due;
  std::promise<void> seen;
};

class Reactor : public ::testing::Test {
 protected:
  Reactor() : system_(config_), reactor_(std::make_unique<reactor>(system_, clock_)) {
    actor_ = system_.spawn<bound_actor, caf::hidden>(reactor_.get());
  }
  ~Reactor() override {
    actor_ = nullptr;
    reactor_.reset();
  }
  /// Runs `work` on the reactor's thread and waits for it.
  void on_reactor(std::function<void()> work) {
    auto done = std::make_shared<std::promise<void>>();
    auto end = done->get_future();
    caf::anon_send(actor_, run_this{[work, done] { work(), done->set_value(); }});
    ASSERT_EQ(end.wait_for(10s), std::future_status::ready);
  }

  caf::actor_system_config config_;
  caf::actor_system system_;
  steady_clock_source clock_;
  std::unique_ptr<reactor> reactor_;
  caf::actor actor_;
};

TEST_F(Reactor, RunsABoundActorOnItsOwnThread) {
  bool on_its_thread = false;
  on_reactor([&] { on_its_thread = reactor_->is_this_thread(); });
  EXPECT_TRUE(on_its_thread);
  EXPECT_FALSE(reactor_->is_this_thread());
}

TEST_F(Reactor, RunsManyMessagesInOrder) {
  std::vector<int> order;
  for (int i = 0; i < 2'000; ++i)
    caf::anon_send(actor_, run_this{[&order, i] { order.push_back(i); }});
  on_reactor([] {});
  ASSERT_EQ(order.size(), 2'000u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(Reactor, ServesAClientAtItsDeadline) {
  counting_client client;
  client.due = clock_.now() + 1ms;
  auto seen = client.seen.get_future();
  on_reactor([&] { reactor_->add(client); });
  EXPECT_EQ(seen.wait_for(10s), std::future_status::ready);
  on_reactor([&] { reactor_->remove(client); });
}

TEST_F(Reactor, ServesAClientWhoseDescriptorIsReadable) {
  counting_client client;
  client.readable = true;
  fcntl(client.ends[0], F_SETFL, O_NONBLOCK);
  auto seen = client.seen.get_future();
  on_reactor([&] { reactor_->add(client); });
  EXPECT_EQ(write(client.ends[1], "x", 1), 1);
  EXPECT_EQ(seen.wait_for(10s), std::future_status::ready);
  on_reactor([&] { reactor_->remove(client); });
}

TEST_F(Reactor, ServesABusyClientAgainWithoutSleeping) {
  counting_client client;
  client.busy_left = 100;
  client.due = clock_.now() + 24h;
  on_reactor([&] { reactor_->add(client); });
  while (true) {
    int left = 0;
    on_reactor([&] { left = client.busy_left; });
    if (left == 0) break;
  }
  on_reactor([&] { reactor_->remove(client); });
  EXPECT_GE(client.served, 100);
}

TEST_F(Reactor, SleepsWhenThereIsNothingToDo) {
  counting_client client;
  on_reactor([&] { reactor_->add(client); });
  std::uint64_t before = 0, after = 0;
  int served = 0;
  on_reactor([&] { before = reactor_->sleeps(), served = client.served; });
  on_reactor([&] { after = reactor_->sleeps(); });
  EXPECT_LE(after - before, 2u);
  on_reactor([&] { reactor_->remove(client), served = client.served - served; });
  EXPECT_LE(served, 4);
}

TEST_F(Reactor, DropsWhatIsQueuedAfterItStopped) {
  reactor_->stop();
  reactor_->stop();
  bool ran = false;
  caf::anon_send(actor_, run_this{[&] { ran = true; }});
  EXPECT_FALSE(ran);
  actor_ = nullptr;
  reactor_.reset();
}

TEST_F(Reactor, BlocksTheApplicationsSignalsOnItsThread) {
  sigset_t mask;
  on_reactor([&] { pthread_sigmask(SIG_SETMASK, nullptr, &mask); });
  EXPECT_TRUE(sigismember(&mask, SIGTERM));
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_FALSE(sigismember(&mask, SIGTERM));
}

}  // namespace
}  // namespace muster::testing
