#include <muster/actors/shells/rendezvous.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
constexpr time_point t0{1h};
const endpoints a{"a:1", "a:2"}, b{"b:1", "b:2"}, launcher{"l:1", "l:2"};

rendezvous_options addresses(std::vector<endpoints> root) { return {std::move(root), {}, 2s, 60s}; }
rendezvous_options launched() { return {{}, launcher, 2s, 60s}; }

TEST(Rendezvous, DialsTheRoot) {
  rendezvous meet(addresses({a}), false);
  EXPECT_EQ(meet.start(t0), (rendezvous::dial_order{rank{0}, a}));
}

TEST(Rendezvous, DialsNobodyAsTheRoot) {
  rendezvous meet(addresses({a}), true);
  EXPECT_FALSE(meet.start(t0));
  EXPECT_FALSE(meet.deadline());
}

TEST(Rendezvous, TriesTheNextAddressWhenOneDoesNotAnswer) {
  rendezvous meet(addresses({a, b}), false);
  meet.start(t0);
  EXPECT_EQ(meet.on_link_down(rank{0}, "refused", 1), (rendezvous::dial_order{rank{0}, b}));
  EXPECT_EQ(meet.on_link_down(rank{0}, "refused", 1), (rendezvous::dial_order{rank{0}, a}));
}

TEST(Rendezvous, StaysWithTheOnlyAddress) {
  rendezvous meet(addresses({a}), false);
  meet.start(t0);
  EXPECT_FALSE(meet.on_link_down(rank{0}, "refused", 1));
}

TEST(Rendezvous, AsksTheLauncherForTheRoot) {
  rendezvous meet(launched(), false);
  EXPECT_EQ(meet.start(t0), (rendezvous::dial_order{launcher_rank, launcher}));
  EXPECT_EQ(meet.on_root_at({"b:1", "b:2"}), (rendezvous::dial_order{rank{0}, b}));
  EXPECT_FALSE(meet.on_root_at({"b:1", "b:2"})) << "that is known";
}

TEST(Rendezvous, TellsTheLauncherWhereTheRootIs) {
  rendezvous meet(launched(), true);
  EXPECT_EQ(meet.start(t0), (rendezvous::dial_order{launcher_rank, launcher}));
  EXPECT_TRUE(meet.reached());
}

TEST(Rendezvous, SaysWhoDoesNotAnswerEverMoreRarely) {
  rendezvous meet(addresses({a}), false);
  meet.start(t0);
  meet.on_link_down(rank{0}, "connection refused", 7);
  EXPECT_FALSE(meet.report(t0 + 1s));
  EXPECT_THAT(*meet.report(t0 + 2s),
              AllOf(HasSubstr("a:1"), HasSubstr("7 attempts"), HasSubstr("connection refused")));
  EXPECT_FALSE(meet.report(t0 + 5s));
  EXPECT_TRUE(meet.report(t0 + 6s));
}

TEST(Rendezvous, FailsAtTheTimeOutUnlessTheRootWasReached) {
  rendezvous meet(addresses({a}), false), lucky(addresses({a}), false);
  meet.start(t0);
  lucky.start(t0);
  lucky.on_link_up(rank{0});
  EXPECT_FALSE(meet.expired(t0 + 59s));
  EXPECT_EQ(meet.expired(t0 + 60s)->code, status_code::deadline_exceeded);
  EXPECT_FALSE(lucky.expired(t0 + 60s));
}

}  // namespace
}  // namespace muster
