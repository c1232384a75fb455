// What another host gives is not trusted to be what it said: an error, and never an assertion.
#include <caf/send.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/actors/shells/host_messages.hpp>
#include <muster/messages/values/outline.hpp>
#include <muster/runtime/simulation/simulation.hpp>

namespace muster {
namespace {

/// Says that it gives one tree, and gives another.
start_operation forged(const tree& said, const payload& given) {
  start_operation call;
  call.ticket = ticket{1};
  call.said.kind = op_kind::process_allgather;
  call.said.outline = outline_of(said);
  call.contribution = contribution{{}, {given}, {}};
  call.done = [](const status&, const contribution&) {};
  return call;
}

status gathered_with(const payload& given) {
  simulation_options o;
  o.hosts = 2;
  simulation world(o);
  EXPECT_TRUE(world.join().ok());
  const tree one(1);
  auto call = world.at(rank{0}).process_allgather(one);
  caf::anon_send(world.at(rank{1}).actor(), forged(one, given));
  return call.wait().why();
}

TEST(ForgedTree, OfAnotherFormIsAnError) {
  const auto why = gathered_with(pack(tree("text")));
  EXPECT_EQ(why.code, status_code::internal);
  EXPECT_THAT(why.text,
              testing::HasSubstr("member 1 in rank order gave another tree than it said"));
}

TEST(ForgedTree, OfNoTreeIsAnError) {
  EXPECT_EQ(gathered_with(payload::copy_of("noise")).code, status_code::invalid_argument);
}

TEST(ForgedTree, ThatIsAsSaidIsNone) { EXPECT_EQ(to_string(gathered_with(pack(tree(2)))), "ok"); }

}  // namespace
}  // namespace muster
