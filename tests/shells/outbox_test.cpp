#include <muster/actors/shells/outbox.hpp>

#include <gtest/gtest.h>

#include <muster/messages/values/limits.hpp>
#include <muster/tests/shells/fake_network.hpp>

namespace muster::testing {
namespace {

constexpr time_point t0{};

struct Outbox : ::testing::Test {
  Outbox() {
    one.dial(t0, rank{2}, two.local(), std::nullopt);
    one.poll(t0);
    two.poll(t0);
  }
  encoded text(std::string_view t) { return {payload::copy_of(t), {}}; }
  std::vector<std::string> received() {
    std::vector<std::string> out;
    for (auto& e : two.poll(t0))
      if (auto* m = std::get_if<message_received>(&e)) out.emplace_back(m->header.text());
    return out;
  }
  fake_network net;
  fake_transport one{net, {"job", "", rank{1}, {}}}, two{net, {"job", "", rank{2}, {}}};
  outbox box;
};

TEST_F(Outbox, SendsAtOnceWhenTheLaneTakesIt) {
  EXPECT_EQ(box.send(one, rank{2}, lane::control, text("a")), outbox::outcome::sent);
  EXPECT_EQ(received(), std::vector<std::string>{"a"});
}

TEST_F(Outbox, KeepsTheOrderOfWhatAFullLaneRefused) {
  one.blocked.insert(rank{2});
  EXPECT_EQ(box.send(one, rank{2}, lane::control, text("a")), outbox::outcome::queued);
  one.blocked.clear();
  EXPECT_EQ(box.send(one, rank{2}, lane::control, text("b")), outbox::outcome::queued) << "behind the first";
  box.flush(one, rank{2}, lane::control);
  EXPECT_EQ(received(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(Outbox, StopsFlushingWhenTheLaneIsFullAgain) {
  one.blocked.insert(rank{2});
  (void)box.send(one, rank{2}, lane::control, text("a"));
  box.flush(one, rank{2}, lane::control);
  EXPECT_EQ(box.waiting(rank{2}), 1u);
}

TEST_F(Outbox, KeepsNothingWithoutALink) {
  EXPECT_EQ(box.send(one, rank{3}, lane::control, text("a")), outbox::outcome::no_link);
  EXPECT_EQ(box.waiting(rank{3}), 0u);
}

TEST_F(Outbox, ForgetsEverythingForAPeerAtItsLimit) {
  one.blocked.insert(rank{2});
  for (std::size_t i = 0; i < limits::outbox_messages_max; ++i)
    ASSERT_EQ(box.send(one, rank{2}, lane::control, text("a")), outbox::outcome::queued);
  EXPECT_EQ(box.send(one, rank{2}, lane::control, text("a")), outbox::outcome::overflow);
  EXPECT_EQ(box.waiting(rank{2}), 0u);
}

}  // namespace
}  // namespace muster::testing
