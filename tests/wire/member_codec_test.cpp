#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <muster/messages/values/limits.hpp>
#include <muster/messages/wire/member_codec.hpp>
#include <muster/tests/wire/generators.hpp>

namespace muster {
namespace {

using testing::HasSubstr;

member member_of(std::uint32_t number) {
  return {rank{number}, {{number, 1}}, "tcp://a:1", "tcp://a:2", 2};
}

member_table table_of(std::uint32_t hosts) {
  member_table t{generation{1}, {}};
  for (std::uint32_t i = 0; i < hosts; ++i) t.members.push_back(member_of(i));
  return t;
}

std::string why(const member_table& t) { return decode_table(encode_table(t)).why().text; }

RC_GTEST_PROP(MemberCodec, GivesBackEveryMember, ()) {
  const member said = any::a_member(any::a_rank().value);
  RC_ASSERT(decode_member(encode_member(said)).value() == said);
}

TEST(MemberCodec, GivesBackATable) {
  EXPECT_EQ(decode_table(encode_table(table_of(5))).value(), table_of(5));
  EXPECT_EQ(decode_table(encode_table(table_of(0))).value(), table_of(0));
}

TEST(MemberCodec, FitsTheLargestWorldIntoAHeader) {
  const payload bytes = encode_table(table_of(limits::world_size_max));
  EXPECT_LT(bytes.size(), limits::header_bytes_max);
  EXPECT_EQ(decode_table(bytes).value().members.size(), limits::world_size_max);
}

TEST(MemberCodec, RefusesAWorldBeyondTheLargest) {
  EXPECT_THAT(why(table_of(limits::world_size_max + 1)), HasSubstr("65537 members"));
}

TEST(MemberCodec, RefusesATableWithAGap) {
  auto t = table_of(3);
  t.members.erase(t.members.begin() + 1);
  EXPECT_THAT(why(t), HasSubstr("rank 2 in the place of rank 1"));
}

TEST(MemberCodec, RefusesTwoMembersOfOneIncarnation) {
  auto t = table_of(3);
  t.members[2].incarnation = t.members[0].incarnation;
  EXPECT_THAT(why(t), HasSubstr("one incarnation"));
}

TEST(MemberCodec, RefusesMoreDevicesThanAHostHas) {
  auto m = member_of(0);
  m.device_count = limits::devices_per_host_max;
  EXPECT_TRUE(decode_member(encode_member(m)).ok());
  ++m.device_count;
  EXPECT_THAT(decode_member(encode_member(m)).why().text, HasSubstr("1025 devices"));
}

TEST(MemberCodec, RefusesWhatIsNoMember) {
  EXPECT_THAT(decode_member(payload::copy_of("\xff")).why().text,
              HasSubstr("1 bytes that are none"));
  EXPECT_THAT(decode_member({}).why().text, HasSubstr("incarnation"));
}

RC_GTEST_PROP(MemberCodec, SurvivesAnyBytes, (const std::string& noise)) {
  (void)decode_member(payload::copy_of(std::string_view(noise)));
  (void)decode_table(payload::copy_of(std::string_view(noise)));
}

}  // namespace
}  // namespace muster
