#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/wire/control.pb.h>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/wire/codec.hpp>

namespace muster {
namespace {

using testing::HasSubstr;

payload bytes(std::string_view text) { return payload::copy_of(text); }

// Why a header is refused; "taken" when it isn't.
std::string why(const wire::Header& header, std::vector<payload> frames = {}) {
  const auto heard = decode(bytes(header.SerializeAsString()), std::move(frames));
  if (heard.ok()) return "taken";
  EXPECT_EQ(heard.why().code, status_code::invalid_argument);
  return heard.why().text;
}

void set_name(wire::OperationKey& key, const std::string& name) {
  key.mutable_named()->set_kind(wire::OP_KIND_BARRIER);
  key.mutable_named()->set_name(name);
}

wire::Header with_complete(std::uint32_t frame_count) {
  wire::Header h;
  auto& c = *h.mutable_complete();
  c.mutable_key()->set_sequence(1);
  c.mutable_remaining();
  c.mutable_said()->set_kind(wire::OP_KIND_BROADCAST_ONE_TO_ALL);
  c.mutable_contribution()->set_frame_count(frame_count);
  return h;
}

wire::Header with_verdict() {
  wire::Header h;
  auto& v = *h.mutable_verdict();
  v.set_number(1);
  v.mutable_key()->set_sequence(1);
  v.mutable_outcome();
  return h;
}

TEST(CodecRefuses, BytesThatAreNoHeader) {
  EXPECT_THAT(decode(bytes("\xff\xff\xff\xff"), {}).why().text,
              HasSubstr("4 bytes that are no header"));
}

TEST(CodecRefuses, AHeaderWithoutABody) {
  EXPECT_THAT(why(wire::Header{}), HasSubstr("without a body"));
}

TEST(CodecRefuses, AnEmptyHeader) {
  EXPECT_THAT(decode({}, {}).why().text, HasSubstr("without a body"));
}

TEST(CodecRefuses, ABodyOfALaterVersion) {
  // Field 99, length-delimited, empty: a case of the oneof that does not exist yet.
  EXPECT_THAT(decode(bytes(std::string("\x9a\x06\x00", 3)), {}).why().text,
              HasSubstr("does not know"));
}

TEST(CodecRefuses, AFieldOfALaterVersionInsideABody) {
  wire::Header h;
  h.mutable_acknowledge()
      ->GetReflection()
      ->MutableUnknownFields(h.mutable_acknowledge())
      ->AddVarint(7, 1);
  EXPECT_THAT(why(h), HasSubstr("Acknowledge with a field"));
}

TEST(CodecRefuses, AHeaderBeyondItsLimit) {
  const std::vector<std::byte> big(limits::header_bytes_max + 1);
  EXPECT_THAT(decode(payload::adopt(big), {}).why().text, HasSubstr("16777217 bytes"));
}

TEST(CodecRefuses, MoreFramesThanTheLimit) {
  EXPECT_THAT(why(with_complete(0), std::vector<payload>(limits::payload_frames_max + 1)),
              HasSubstr("65537 frames"));
}

TEST(CodecRefuses, FewerFramesThanAnnounced) {
  EXPECT_THAT(why(with_complete(2), {bytes("a")}),
              HasSubstr("1 frames where the header announces 2"));
}

TEST(CodecRefuses, MoreFramesThanAnnounced) {
  EXPECT_THAT(why(with_complete(0), {bytes("a")}),
              HasSubstr("1 frames where the header announces 0"));
}

TEST(CodecRefuses, FramesForABodyThatHasNone) {
  wire::Header h;
  h.mutable_acknowledge();
  EXPECT_THAT(why(h, {bytes("a")}), HasSubstr("1 frames for a body that has none"));
}

TEST(CodecRefuses, PartsThatAreNotAsManyAsFrames) {
  auto h = with_complete(2);
  h.mutable_complete()->mutable_contribution()->add_parts()->set_last(1);
  EXPECT_THAT(why(h, {bytes("a"), bytes("b")}), HasSubstr("1 parts for 2 frames"));
}

TEST(CodecRefuses, APartOfNoLeaves) {
  auto h = with_complete(1);
  h.mutable_complete()->mutable_contribution()->add_parts()->set_first(3);
  EXPECT_THAT(why(h, {bytes("a")}), HasSubstr("no leaves"));
}

TEST(CodecTakes, AFrameAtItsLimitAndRefusesOneByteMore) {
  const auto frame = [](std::size_t n) { return payload::adopt(std::vector<std::byte>(n)); };
  EXPECT_EQ(why(with_complete(1), {frame(limits::inline_bytes_max)}), "taken");
  EXPECT_THAT(why(with_complete(1), {frame(limits::inline_bytes_max + 1)}),
              HasSubstr("1048577 bytes"));
}

TEST(CodecTakes, ANameAtItsLimitAndRefusesOneByteMore) {
  wire::Header h;
  set_name(*h.mutable_close()->mutable_key(), std::string(limits::name_bytes_max, 'x'));
  EXPECT_EQ(why(h), "taken");
  set_name(*h.mutable_close()->mutable_key(), std::string(limits::name_bytes_max + 1, 'x'));
  EXPECT_THAT(why(h), HasSubstr("1025 bytes"));
}

TEST(CodecTakes, TheHighestRankAndRefusesTheNext) {
  wire::Header h;
  h.mutable_behind()->set_who(limits::world_size_max - 1);
  EXPECT_EQ(why(h), "taken");
  h.mutable_behind()->set_who(limits::world_size_max);
  EXPECT_THAT(why(h), HasSubstr("rank 65536"));
}

TEST(CodecRefuses, AMissingKey) {
  wire::Header h;
  h.mutable_close();
  EXPECT_THAT(why(h), HasSubstr("no operation key"));
}

TEST(CodecRefuses, AKeyThatIsNeitherSequenceNorName) {
  wire::Header h;
  h.mutable_close()->mutable_key();
  EXPECT_THAT(why(h), HasSubstr("neither a sequence nor a name"));
}

TEST(CodecRefuses, SequenceZero) {
  wire::Header h;
  h.mutable_close()->mutable_key()->set_sequence(0);
  EXPECT_THAT(why(h), HasSubstr("sequence 0"));
}

TEST(CodecRefuses, ANameForAKindThatMatchesBySequence) {
  wire::Header h;
  h.mutable_close()->mutable_key()->mutable_named()->set_kind(wire::OP_KIND_ALL_REDUCE);
  EXPECT_THAT(why(h), HasSubstr("matches by sequence"));
}

TEST(CodecRefuses, KindsThatItDoesNotKnow) {
  auto h = with_complete(0);
  h.mutable_complete()->mutable_said()->set_kind(static_cast<wire::OpKind>(77));
  EXPECT_THAT(why(h), HasSubstr("operation kind 77"));
  h.mutable_complete()->mutable_said()->set_kind(wire::OP_KIND_UNSPECIFIED);
  EXPECT_THAT(why(h), HasSubstr("operation kind 0"));
}

TEST(CodecRefuses, AReductionThatItDoesNotKnow) {
  auto h = with_complete(0);
  h.mutable_complete()->mutable_said()->set_reduce(static_cast<wire::ReduceOp>(77));
  EXPECT_THAT(why(h), HasSubstr("reduction 77"));
}

TEST(CodecRefuses, ADtypeThatItDoesNotKnow) {
  auto h = with_complete(0);
  h.mutable_complete()->mutable_said()->set_dtype(14);
  EXPECT_THAT(why(h), HasSubstr("dtype 14"));
}

TEST(CodecRefuses, ShapesThatNoArrayHas) {
  auto h = with_complete(0);
  h.mutable_complete()->mutable_said()->add_shape(-1);
  EXPECT_THAT(why(h), HasSubstr("dimension -1"));
  h = with_complete(0);
  for (int i = 0; i < 3; ++i)
    h.mutable_complete()->mutable_said()->add_shape(std::int64_t{1} << 40);
  EXPECT_THAT(why(h), HasSubstr("more elements"));
}

TEST(CodecRefuses, ANegativeDuration) {
  wire::Header h;
  h.mutable_opened()->mutable_key()->set_sequence(1);
  h.mutable_opened()->mutable_remaining()->set_hard_ns(-5);
  EXPECT_THAT(why(h), HasSubstr("-5 ns"));
}

TEST(CodecRefuses, AMalformedSetOfRanks) {
  wire::Header h;
  h.mutable_closed()->mutable_key()->set_sequence(1);
  h.mutable_closed()->set_arrived("\xff\xff");
  EXPECT_THAT(why(h), HasSubstr("set of ranks"));
}

TEST(CodecRefuses, VerdictZero) {
  auto h = with_verdict();
  h.mutable_verdict()->set_number(0);
  EXPECT_THAT(why(h), HasSubstr("verdict 0"));
}

TEST(CodecRefuses, ACodeThatItDoesNotKnow) {
  auto h = with_verdict();
  h.mutable_verdict()->mutable_outcome()->set_code(99);
  EXPECT_THAT(why(h), HasSubstr("status code 99"));
}

TEST(CodecRefuses, AnAbsenceStateThatItDoesNotKnow) {
  auto h = with_verdict();
  h.mutable_verdict()->mutable_outcome()->add_absences()->set_where(6);
  EXPECT_THAT(why(h), HasSubstr("absence state 6"));
}

TEST(CodecRefuses, AnEndpointBeyondItsLimit) {
  wire::Header h;
  h.mutable_root_at()->set_control_endpoint(std::string(limits::endpoint_bytes_max + 1, 'x'));
  EXPECT_THAT(why(h), HasSubstr("513 bytes"));
}

}  // namespace
}  // namespace muster
