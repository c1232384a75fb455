#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <muster/messages/wire/codec.hpp>
#include <muster/tests/wire/generators.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

payload bytes(std::string_view text) { return payload::copy_of(text); }

std::size_t cut_at(const payload& whole) { return *rc::gen::inRange<std::size_t>(0, whole.size()); }

RC_GTEST_PROP(Codec, GivesBackEveryEnvelope, ()) {
  const envelope said = any::an_envelope();
  const encoded sent = encode(said);
  const auto heard = decode(sent.header, sent.frames);
  RC_ASSERT(heard.why() == status{});
  RC_ASSERT(heard.value() == said);
}

RC_GTEST_PROP(Codec, NeverTrustsATruncatedHeader, ()) {
  const encoded sent = encode(any::an_envelope());
  RC_PRE(!sent.header.empty());
  const auto heard = decode(sent.header.part(0, cut_at(sent.header)), sent.frames);
  RC_ASSERT((heard.ok() || !heard.why().text.empty()));
}

RC_GTEST_PROP(Codec, SurvivesAnyBytes, (const std::string& noise)) {
  const auto heard = decode(bytes(noise), {});
  RC_ASSERT((heard.ok() || heard.why().code == status_code::invalid_argument));
}

RC_GTEST_PROP(Codec, SurvivesAnyChangedByte, (std::uint8_t noise)) {
  const encoded sent = encode(any::an_envelope());
  RC_PRE(!sent.header.empty());
  std::vector<std::byte> changed(sent.header.bytes().begin(), sent.header.bytes().end());
  changed[cut_at(sent.header)] ^= static_cast<std::byte>(noise);
  const auto heard = decode(payload::adopt(std::move(changed)), sent.frames);
  RC_ASSERT((heard.ok() || heard.why().code == status_code::invalid_argument));
}

TEST(Codec, SharesTheFramesInsteadOfCopyingThem) {
  const envelope said{generation{1},
                      {},
                      verdict{verdict_number{1}, ordered_key{1}, {}, true, {{}, {bytes("data")}}}};
  const encoded sent = encode(said);
  ASSERT_EQ(sent.frames.size(), 1u);
  EXPECT_EQ(sent.frames[0].data(), std::get<verdict>(said.body).result.frames[0].data());
  const auto heard = decode(sent.header, sent.frames);
  EXPECT_EQ(std::get<verdict>(heard.value().body).result.frames[0].data(), sent.frames[0].data());
}

TEST(Codec, CarriesAnEmptyFrame) {
  const envelope said{generation{1}, {}, complete{ordered_key{1}, {}, {}, {{}, {payload{}}}}};
  const encoded sent = encode(said);
  EXPECT_EQ(decode(sent.header, sent.frames).value(), said);
}

TEST(Codec, CarriesAContributionOfManyParts) {
  contribution c;
  for (std::uint64_t i = 0; i < 64; ++i) {
    c.parts.push_back({i, i + 1});
    c.frames.push_back(bytes(std::to_string(i)));
  }
  const envelope said{generation{3}, verdict_number{9}, complete{ordered_key{4}, {1s, 2s}, {}, c}};
  const encoded sent = encode(said);
  EXPECT_EQ(decode(sent.header, sent.frames).value(), said);
}

TEST(Codec, SaysADeadlineInThePastAsNow) {
  const encoded sent = encode({generation{1}, {}, opened{ordered_key{1}, {-1s, -1ns}, {}}});
  const auto heard = decode(sent.header, sent.frames);
  EXPECT_EQ(std::get<opened>(heard.value().body).remaining, (deadlines{0s, 0s}));
}

TEST(Codec, SaysADeadlineOfForever) {
  const envelope said{
      generation{1}, {}, opened{ordered_key{1}, {duration::max(), duration::max()}, {}}};
  EXPECT_EQ(decode(encode(said).header, {}).value(), said);
}

TEST(Codec, ComparesNamesByteForByteAndAsksForNoEncoding) {
  const std::string name("\xff\x00not utf-8", 11);
  const envelope said{generation{1}, {}, close{named_key{op_kind::barrier, name}}};
  EXPECT_EQ(decode(encode(said).header, {}).value(), said);
}

}  // namespace
}  // namespace muster
