#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/transport/greeting.hpp>

namespace muster {
namespace {

using testing::HasSubstr;

const transport_identity self{"job", "secret", rank{1}, {{1, 2}}};

hello greeting() { return make_hello(self, {"c", "b"}, lane::bulk, 3); }

TEST(Greeting, SaysAllThatWeAre) {
  const hello h = greeting();
  EXPECT_EQ(h, (hello{protocol_version_min,
                      protocol_version_max,
                      "job",
                      "secret",
                      rank{1},
                      {{1, 2}},
                      "c",
                      "b",
                      1,
                      3}));
}

TEST(Greeting, WelcomesOurOwn) {
  EXPECT_EQ(judge_hello(self, greeting()).value(), (welcome{rank{1}, {{1, 2}}, 1}));
}

TEST(Greeting, RefusesEveryCredentialButTheRightOne) {
  for (const char* wrong : {"", "Secret", "secre", "secret ", "xsecret"}) {
    hello h = greeting();
    h.credential = wrong;
    EXPECT_EQ(judge_hello(self, h).why().code, status_code::refused) << wrong;
  }
}

TEST(Greeting, ComparesVersionsBeforeAnythingThatTheyMayHaveChanged) {
  hello h = greeting();
  h.job = "another";
  h.version_min = h.version_max = protocol_version_max + 1;
  EXPECT_THAT(judge_hello(self, h).why().text, HasSubstr("protocol version 2"));
}

TEST(Greeting, RefusesAWelcomeInAVersionThatWasNotOffered) {
  EXPECT_THAT(judge_welcome(rank{1}, std::nullopt, {rank{1}, {}, 5}).text,
              HasSubstr("protocol version 5"));
  EXPECT_TRUE(judge_welcome(rank{1}, std::nullopt, {rank{1}, {}, 1}).ok());
}

}  // namespace
}  // namespace muster
