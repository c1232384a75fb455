#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <muster/messages/wire/control.pb.h>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/wire/hello.hpp>
#include <muster/tests/wire/generators.hpp>

namespace muster {
namespace {

using testing::HasSubstr;
using testing::Not;

const hello example{1,
                    2,
                    "job-a",
                    "secret",
                    rank{3},
                    {{0x0123456789abcdef, 0xfedcba9876543210}},
                    "tcp://127.0.0.1:4000",
                    "tcp://127.0.0.1:4001",
                    1,
                    7};

std::string hexadecimal(const payload& p) {
  std::string out;
  for (std::byte b : p.bytes()) {
    constexpr char digits[] = "0123456789abcdef";
    out += digits[std::to_integer<unsigned>(b) >> 4];
    out += digits[std::to_integer<unsigned>(b) & 15];
  }
  return out;
}

std::string why(const hello& h) { return decode_hello(encode_hello(h)).why().text; }

// The bytes of a hello are what a host of another version sees first. If this fails, the wire has
// changed: bring it back, or every running job must be stopped before an upgrade.
TEST(Hello, HasTheseBytesForEver) {
  EXPECT_EQ(hexadecimal(encode_hello(example)),
            "894d55535445520a"  // magic
            "0801"
            "1002"  // versions 1 to 2
            "1a056a6f622d61"
            "2206736563726574"  // job, credential
            "2803"
            "321209efcdab896745230111"
            "1032547698badcfe"                              // rank, incarnation
            "3a147463703a2f2f3132372e302e302e313a34303030"  // control endpoint
            "42147463703a2f2f3132372e302e302e313a34303031"  // bulk endpoint
            "4801"
            "5007");  // lane, life
}

TEST(Hello, ComesBackAsItWas) { EXPECT_EQ(decode_hello(encode_hello(example)).value(), example); }

TEST(Hello, MayComeFromTheLauncher) {
  hello h = example;
  h.rank = launcher_rank;
  EXPECT_EQ(decode_hello(encode_hello(h)).value(), h);
}

TEST(Hello, IsReadableWhateverALaterVersionAdds) {
  wire::Hello later;
  const payload now = encode_hello(example);
  ASSERT_TRUE(later.ParseFromArray(now.data() + 8, static_cast<int>(now.size()) - 8));
  later.GetReflection()->MutableUnknownFields(&later)->AddVarint(999, 1);
  const std::string frame = std::string(now.text().substr(0, 8)) + later.SerializeAsString();
  EXPECT_EQ(decode_hello(payload::copy_of(std::string_view(frame))).value(), example);
}

TEST(Hello, RefusesWrongMagic) {
  std::string frame(encode_hello(example).text());
  frame[0] = 'X';
  EXPECT_THAT(decode_hello(payload::copy_of(std::string_view(frame))).why().text,
              HasSubstr("magic"));
  EXPECT_THAT(decode_hello({}).why().text, HasSubstr("magic"));
}

TEST(Hello, RefusesWhatNoHostSays) {
  const auto with = [](auto change) {
    hello h = example;
    change(h);
    return why(h);
  };
  EXPECT_THAT(with([](hello& h) { h.lane = 2; }), HasSubstr("lane 2"));
  EXPECT_THAT(with([](hello& h) { h.life = 0; }), HasSubstr("life 0"));
  EXPECT_THAT(with([](hello& h) { h.version_min = 0; }), HasSubstr("versions"));
  EXPECT_THAT(with([](hello& h) { h.version_min = 3; }), HasSubstr("versions"));
  EXPECT_THAT(with([](hello& h) { h.rank = rank{limits::world_size_max}; }),
              HasSubstr("rank 65536"));
}

TEST(Hello, RefusesWhatIsBeyondTheLimits) {
  const auto with = [](auto member, std::size_t size) {
    hello h = example;
    h.*member = std::string(size, 'x');
    return why(h);
  };
  EXPECT_EQ(with(&hello::job, limits::job_bytes_max), "");
  EXPECT_THAT(with(&hello::job, limits::job_bytes_max + 1), HasSubstr("job"));
  EXPECT_EQ(with(&hello::credential, limits::credential_bytes_max), "");
  EXPECT_THAT(with(&hello::credential, limits::credential_bytes_max + 1), HasSubstr("credential"));
  EXPECT_EQ(with(&hello::bulk_endpoint, limits::endpoint_bytes_max), "");
  EXPECT_THAT(with(&hello::bulk_endpoint, limits::endpoint_bytes_max + 1), HasSubstr("513 bytes"));
  EXPECT_THAT(with(&hello::job, limits::hello_bytes_max), HasSubstr("the most is 16384"));
}

TEST(Hello, NeverRepeatsACredentialThatItRefuses) {
  hello h = example;
  h.credential = "hunter2" + std::string(limits::credential_bytes_max, 'x');
  EXPECT_THAT(why(h), Not(HasSubstr("hunter2")));
}

RC_GTEST_PROP(Hello, RefusesEveryTruncation, ()) {
  const payload whole = encode_hello(example);
  const auto at = *rc::gen::inRange<std::size_t>(0, whole.size());
  const auto heard = decode_hello(whole.part(0, at));
  RC_ASSERT((!heard.ok() || heard.value() != example));
}

RC_GTEST_PROP(Hello, SurvivesAnyBytesAfterTheMagic, (const std::string& noise)) {
  const std::string frame = std::string(encode_hello(example).text().substr(0, 8)) + noise;
  (void)decode_hello(payload::copy_of(std::string_view(frame)));
  (void)decode_answer(payload::copy_of(std::string_view(frame)));
}

TEST(Answer, ComesBackAsAWelcome) {
  const answer said = welcome{rank{4}, {{5, 6}}, 1};
  EXPECT_EQ(decode_answer(encode_answer(said)).value(), said);
}

RC_GTEST_PROP(Answer, ComesBackAsTheRefusalThatItWas, ()) {
  status why = any::a_status();
  RC_PRE(!why.ok());
  const answer said = refusal{why};
  RC_PRE(encode_answer(said).size() <= limits::hello_bytes_max);
  RC_ASSERT(decode_answer(encode_answer(said)).value() == said);
}

TEST(Answer, RefusesARefusalWithoutAnError) {
  EXPECT_THAT(decode_answer(encode_answer(refusal{})).why().text, HasSubstr("without an error"));
}

TEST(Answer, RefusesAHelloInItsPlace) {
  const auto heard = decode_answer(encode_hello(example));
  EXPECT_FALSE(heard.ok());
}

}  // namespace
}  // namespace muster
