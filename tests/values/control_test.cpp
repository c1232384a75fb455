#include <gtest/gtest.h>

#include <muster/messages/values/control.hpp>

namespace muster {
namespace {

TEST(Contribution, CountsTheBytesOfAllFrames) {
  contribution c;
  EXPECT_EQ(c.bytes(), 0u);
  c.frames = {payload::copy_of("abc"), {}, payload::copy_of("de")};
  EXPECT_EQ(c.bytes(), 5u);
}

TEST(Envelope, IsEqualByEveryField) {
  const operation_key key = named_key{op_kind::barrier, "x"};
  const envelope sent{generation{1}, verdict_number{4},
                      complete{key, {}, {}, {{{0, 1}}, {payload::copy_of("a")}}}};
  envelope other = sent;
  EXPECT_EQ(sent, other);
  other.decided_through = verdict_number{5};
  EXPECT_NE(sent, other);
  other = sent;
  std::get<complete>(other.body).contribution.frames = {payload::copy_of("b")};
  EXPECT_NE(sent, other);
  other = sent;
  other.body = close{key};
  EXPECT_NE(sent, other);
}

TEST(Stalled, PrintsWhoIsMissingAndForHowLong) {
  stalled s{named_key{op_kind::barrier, "x"}, 2, 3, {}, std::chrono::seconds(10)};
  s.absences = {{{rank{2}}, absence::state::not_arrived, "", {}}};
  EXPECT_EQ(to_string(s), "barrier 'x': 2 of 3 have arrived after 10 s; rank 2 has not arrived");
}

}  // namespace
}  // namespace muster
