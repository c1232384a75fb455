#include <muster/messages/wire/codec.hpp>

#include <utility>

#include <muster/messages/values/limits.hpp>
#include <muster/messages/wire/parts.hpp>

namespace muster {
namespace {

// One `write` per struct: sets its case of the oneof. The frames of a contribution go to `frames`.
// Structs are taken apart by name, so that one with a new field does not compile until it is here.
struct body_writer {
  wire::Header& header;
  std::vector<payload>& frames;

  void operator()(const opened& from) const {
    const auto& [key, remaining, said] = from;
    auto& to = *header.mutable_opened();
    write(key, *to.mutable_key());
    write(remaining, *to.mutable_remaining());
    write_each(said, *to.mutable_said());
  }
  void operator()(const complete& from) const {
    const auto& [key, remaining, said, given] = from;
    auto& to = *header.mutable_complete();
    write(key, *to.mutable_key());
    write(remaining, *to.mutable_remaining());
    write(said, *to.mutable_said());
    write(given, *to.mutable_contribution());
    frames = given.frames;
  }
  void operator()(const closed& from) const {
    const auto& [key, arrived, all_answered, ask] = from;
    auto& to = *header.mutable_closed();
    write(key, *to.mutable_key());
    to.set_arrived(arrived.encode());
    to.set_final(all_answered);
    to.set_ask(ask);
  }
  void operator()(const intents& from) const {
    const auto& [waits, omitted] = from;
    auto& to = *header.mutable_intents();
    for (const auto& [key, ranks, oldest] : waits) {
      auto& w = *to.add_waits();
      write(key, *w.mutable_key());
      w.set_ranks(ranks.encode());
      w.set_oldest_ns(wire_duration(oldest));
    }
    to.set_omitted(omitted);
  }
  void operator()(const fail& from) const {
    const auto& [key, cause, members] = from;
    auto& to = *header.mutable_fail();
    write(key, *to.mutable_key());
    write(cause, *to.mutable_cause());
    to.set_members(wire_members(members));
  }
  void operator()(const behind& from) const {
    const auto& [who, names, ordered, everything] = from;
    auto& to = *header.mutable_behind();
    to.set_who(who.value);
    write_each(names, *to.mutable_names());
    to.set_ordered(ordered);
    to.set_everything(everything);
  }
  void operator()(const delivered& from) const {
    const auto& [key] = from;
    write(key, *header.mutable_delivered()->mutable_key());
  }
  void operator()(const acknowledge&) const { header.mutable_acknowledge(); }
  void operator()(const verdict& from) const {
    const auto& [number, key, outcome, counts, given, members, only_for] = from;
    auto& to = *header.mutable_verdict();
    to.set_number(number.value);
    write(key, *to.mutable_key());
    write(outcome, *to.mutable_outcome());
    to.set_counts(counts);
    to.set_members(wire_members(members));
    if (only_for) to.set_only_for(only_for->value);
    write(given, *to.mutable_result());
    frames = given.frames;
  }
  void operator()(const close& from) const {
    const auto& [key, ask] = from;
    auto& to = *header.mutable_close();
    write(key, *to.mutable_key());
    to.set_ask(ask);
  }
  void operator()(const proceed& from) const {
    const auto& [key, held] = from;
    auto& to = *header.mutable_proceed();
    write(key, *to.mutable_key());
    write_each(held, *to.mutable_held());
  }
  void operator()(const chunk& from) const {
    const auto& [key, stream, offset, bytes] = from;
    auto& to = *header.mutable_chunk();
    write(key, *to.mutable_key());
    to.set_stream(stream);
    to.set_offset(offset);
    frames.push_back(bytes);
  }
  void operator()(const chunk_ack& from) const {
    const auto& [key, stream, offset] = from;
    auto& to = *header.mutable_chunk_ack();
    write(key, *to.mutable_key());
    to.set_stream(stream);
    to.set_offset(offset);
  }
  void operator()(const stalled& from) const {
    const auto& [key, arrived, expected, absences, waited, moving] = from;
    auto& to = *header.mutable_stalled();
    write(key, *to.mutable_key());
    to.set_arrived(arrived);
    to.set_expected(expected);
    write_each(absences, *to.mutable_absences());
    to.set_waited_ns(wire_duration(waited));
    to.set_moving(moving);
  }
  void operator()(const root_at& from) const {
    const auto& [control, bulk] = from;
    auto& to = *header.mutable_root_at();
    to.set_control_endpoint(control);
    to.set_bulk_endpoint(bulk);
  }
};

// One `body` per Protobuf message. Frames that it takes are gone from `frames` afterwards.
struct body_reader : reader {
  std::vector<payload>& frames;
  explicit body_reader(std::vector<payload>& f) : frames(f) {}

  template <class Message>
  bool key(const Message& from, operation_key& to) {
    return known(from) && present(from.has_key(), "operation key") && read(from.key(), to);
  }
  bool body(const wire::Opened& from, opened& to) {
    return key(from, to.key) && present(from.has_remaining(), "deadlines") &&
           read(from.remaining(), to.remaining) && read_each(from.said(), to.said);
  }
  bool body(const wire::Complete& from, complete& to) {
    return key(from, to.key) && present(from.has_remaining(), "deadlines") &&
           read(from.remaining(), to.remaining) && present(from.has_said(), "signature") &&
           read(from.said(), to.said) && read(from.contribution(), frames, to.contribution);
  }
  bool body(const wire::Closed& from, closed& to) {
    to.final = from.final();
    to.ask = from.ask();
    return key(from, to.key) && read_ranks(from.arrived(), to.arrived);
  }
  bool body(const wire::Intents& from, intents& to) {
    to.omitted = from.omitted();
    for (const auto& wait : from.waits()) {
      auto& w = to.waits.emplace_back();
      if (!key(wait, w.key) || !read_ranks(wait.ranks(), w.ranks) ||
          !read_duration(wait.oldest_ns(), w.oldest))
        return false;
    }
    return known(from);
  }
  bool body(const wire::Fail& from, fail& to) {
    return key(from, to.key) && present(from.has_cause(), "cause") &&
           read(from.cause(), to.cause) && read_members(from.members(), to.members);
  }
  bool body(const wire::Behind& from, behind& to) {
    to.ordered = from.ordered();
    to.everything = from.everything();
    return known(from) && read_rank(from.who(), to.who) && read_each(from.names(), to.names);
  }
  bool body(const wire::Delivered& from, delivered& to) { return key(from, to.key); }
  bool body(const wire::Proceed& from, proceed& to) {
    return key(from, to.key) && read_each(from.held(), to.held);
  }
  bool body(const wire::Chunk& from, chunk& to) {
    if (frames.size() != 1)
      return refuse("a chunk with " + std::to_string(frames.size()) + " frames: it has one");
    if (frames.front().size() > limits::inline_bytes_max)
      return refuse("a chunk of " + std::to_string(frames.front().size()) + " bytes, the most is " +
                    std::to_string(limits::inline_bytes_max));
    to.stream = from.stream();
    to.offset = from.offset();
    to.bytes = std::move(frames.front());
    frames.clear();
    return key(from, to.key);
  }
  bool body(const wire::ChunkAck& from, chunk_ack& to) {
    to.stream = from.stream();
    to.offset = from.offset();
    return key(from, to.key);
  }
  bool body(const wire::Acknowledge& from, acknowledge&) { return known(from); }
  bool body(const wire::Verdict& from, verdict& to) {
    to.number = verdict_number{from.number()};
    to.counts = from.counts();
    if (from.number() == 0) return refuse("verdict 0: verdicts count from 1");
    return key(from, to.key) && present(from.has_outcome(), "outcome") &&
           read(from.outcome(), to.outcome) && read_members(from.members(), to.members) &&
           (!from.has_only_for() || read_rank(from.only_for(), to.only_for.emplace())) &&
           read(from.result(), frames, to.result);
  }
  bool body(const wire::Close& from, close& to) {
    to.ask = from.ask();
    return key(from, to.key);
  }
  bool body(const wire::Stalled& from, stalled& to) {
    to.arrived = from.arrived();
    to.expected = from.expected();
    to.moving = from.moving();
    return key(from, to.key) && read_each(from.absences(), to.absences) &&
           read_duration(from.waited_ns(), to.waited);
  }
  bool body(const wire::RootAt& from, root_at& to) {
    return known(from) && read_endpoint(from.control_endpoint(), to.control_endpoint) &&
           read_endpoint(from.bulk_endpoint(), to.bulk_endpoint);
  }

  bool header(const wire::Header& from, message& to) {
    using wire::Header;
    if (!known(from)) return false;
    switch (from.body_case()) {
      case Header::kOpened: return body(from.opened(), to.emplace<opened>());
      case Header::kComplete: return body(from.complete(), to.emplace<complete>());
      case Header::kClosed: return body(from.closed(), to.emplace<closed>());
      case Header::kIntents: return body(from.intents(), to.emplace<intents>());
      case Header::kFail: return body(from.fail(), to.emplace<fail>());
      case Header::kBehind: return body(from.behind(), to.emplace<behind>());
      case Header::kDelivered: return body(from.delivered(), to.emplace<delivered>());
      case Header::kProceed: return body(from.proceed(), to.emplace<proceed>());
      case Header::kChunk: return body(from.chunk(), to.emplace<chunk>());
      case Header::kChunkAck: return body(from.chunk_ack(), to.emplace<chunk_ack>());
      case Header::kAcknowledge: return body(from.acknowledge(), to.emplace<acknowledge>());
      case Header::kVerdict: return body(from.verdict(), to.emplace<verdict>());
      case Header::kClose: return body(from.close(), to.emplace<close>());
      case Header::kStalled: return body(from.stalled(), to.emplace<stalled>());
      case Header::kRootAt: return body(from.root_at(), to.emplace<root_at>());
      case Header::BODY_NOT_SET: return refuse("a header without a body");
    }
    return refuse("a header with a body that this version does not know");
  }
};

}  // namespace

encoded encode(const envelope& from) {
  wire::Header header;
  header.set_generation(from.generation.value);
  header.set_decided_through(from.decided_through.value);
  header.set_group(wire_members(from.group));
  encoded out;
  std::visit(body_writer{header, out.frames}, from.body);
  out.header = bytes_of(header);
  return out;
}

result<envelope> decode(const payload& header, std::vector<payload> frames) {
  const auto refused = [](std::string why) {
    return error(status_code::invalid_argument, "malformed envelope: " + std::move(why));
  };
  if (header.size() > limits::header_bytes_max)
    return refused("a header of " + std::to_string(header.size()) + " bytes, the most is " +
                   std::to_string(limits::header_bytes_max));
  if (frames.size() > limits::payload_frames_max)
    return refused(std::to_string(frames.size()) + " frames, the most is " +
                   std::to_string(limits::payload_frames_max));
  wire::Header parsed;
  if (!parse(header.bytes(), parsed))
    return refused(std::to_string(header.size()) + " bytes that are no header");
  envelope out;
  out.generation = generation{parsed.generation()};
  out.decided_through = verdict_number{parsed.decided_through()};
  body_reader reader{frames};
  if (!reader.read_members(parsed.group(), out.group) || !reader.header(parsed, out.body))
    return refused(std::move(reader.why));
  if (!frames.empty())
    return refused(std::to_string(frames.size()) + " frames for a body that has none");
  return out;
}

}  // namespace muster
