#include <array>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/cluster/text_values.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Number, IsDigitsWithinBounds) {
  EXPECT_EQ(parse_number("0", 0, 7).value(), 0u);
  EXPECT_EQ(parse_number("7", 0, 7).value(), 7u);
  EXPECT_EQ(parse_number("007", 0, 7).value(), 7u);
  EXPECT_EQ(parse_number("8", 0, 7).why().text, "must be a whole number from 0 to 7");
  for (auto* text :
       {"", " 1", "1 ", "+1", "-1", "0x1", "1.0", "1e0", "one", "18446744073709551616"})
    EXPECT_FALSE(parse_number(text, 0, std::numeric_limits<std::uint32_t>::max()))
        << "'" << text << "'";
}

TEST(Duration, IsAWholeNumberWithItsUnit) {
  EXPECT_EQ(parse_duration("500ms").value(), 500ms);
  EXPECT_EQ(parse_duration("10s").value(), 10s);
  EXPECT_EQ(parse_duration("5min").value(), 5min);
  EXPECT_EQ(parse_duration("2h").value(), 2h);
}

TEST(Duration, RefusesEverythingElse) {
  for (auto* text :
       {"", "s", "10", "0s", "-1s", "+1s", "1.5s", "10 s", "10S", "10sec", "5m", "1d", "1s1ms"})
    EXPECT_FALSE(parse_duration(text)) << "'" << text << "'";
}

TEST(Duration, EndsAtItsLimitWithoutWrappingAround) {
  EXPECT_EQ(parse_duration("720h").value(), limits::named_duration_max);
  EXPECT_FALSE(parse_duration("721h"));
  EXPECT_FALSE(parse_duration("2592000001ms"));
  EXPECT_FALSE(parse_duration("9223372036854775807h"));
  EXPECT_FALSE(parse_duration("18446744073709551617ms"));
}

TEST(Job, IsAShortWord) {
  EXPECT_EQ(parse_job("Train-1.b_c").value(), "Train-1.b_c");
  EXPECT_TRUE(parse_job(std::string(limits::job_bytes_max, 'j')));
  EXPECT_FALSE(parse_job(std::string(limits::job_bytes_max + 1, 'j')));
  for (auto* text : {"", "a b", "a/b", "\xc3\xa4"})
    EXPECT_FALSE(parse_job(text)) << "'" << text << "'";
}

TEST(Credential, IsPrintableAndShort) {
  EXPECT_TRUE(parse_credential("~!x"));
  EXPECT_TRUE(parse_credential(std::string(limits::credential_bytes_max, 'c')));
  EXPECT_FALSE(parse_credential(std::string(limits::credential_bytes_max + 1, 'c')));
  for (auto* text : {"", "a b", "a\n"}) EXPECT_FALSE(parse_credential(text)) << "'" << text << "'";
}

TEST(NearMatches, AreAtMostTwoEditsAwayAndNearestFirst) {
  constexpr std::array<std::string_view, 3> names = {"rank", "ranks", "world"};
  EXPECT_THAT(near_matches("rank", names), ElementsAre("rank", "ranks"));
  EXPECT_THAT(near_matches("rnaks", names), ElementsAre("ranks"));
  EXPECT_THAT(near_matches("planet", names), IsEmpty());
}

}  // namespace
}  // namespace muster
