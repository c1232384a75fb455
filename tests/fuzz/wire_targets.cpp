#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <muster/messages/values/ensure.hpp>
#include <muster/messages/wire/codec.hpp>
#include <muster/messages/wire/hello.hpp>
#include <muster/messages/wire/member_codec.hpp>
#include <muster/tests/fuzz/targets.hpp>
#include <muster/tests/wire/generators.hpp>

namespace muster::fuzz {
namespace {

constexpr int seeds_of_each = 48;
constexpr int seed_size = 12;  // of RapidCheck: how large its picks become
constexpr std::size_t frame_bytes_max = 255;

// The same values on every machine.
template <class Make>
std::vector<payload> made_by_chance(Make make) {
  std::vector<payload> out;
  for (int seed = 0; seed < seeds_of_each; ++seed)
    out.push_back(
        rc::gen::exec(make)(rc::Random(static_cast<std::uint64_t>(seed)), seed_size).value());
  return out;
}

// Protobuf has several ways to write one message, so it is the value that comes back, not the bytes.
template <class Value, class Encode, class Decode>
bool comes_back(const result<Value>& read, Encode encode_it, Decode decode_it) {
  if (!read.ok()) {
    ensure(read.why().code == status_code::invalid_argument && !read.why().text.empty(),
           "bytes that are refused are told why");
    return false;
  }
  const auto again = decode_it(encode_it(read.value()));
  ensure(again.ok() && again.value() == read.value(), "what was read can be sent and read again");
  return true;
}

std::size_t byte_at(const payload& p, std::size_t i) {
  return std::to_integer<std::size_t>(p.bytes()[i]);
}

void append(std::vector<std::byte>& out, const payload& p) {
  out.insert(out.end(), p.bytes().begin(), p.bytes().end());
}

payload joined(const encoded& e) {
  std::vector<std::byte> out{std::byte(e.header.size() & 0xff),
                             std::byte(e.header.size() >> 8 & 0xff)};
  append(out, e.header);
  for (const payload& frame : e.frames) {
    const payload cut = frame.part(0, std::min(frame.size(), frame_bytes_max));
    out.push_back(std::byte(cut.size()));
    append(out, cut);
  }
  return payload::adopt(std::move(out));
}

std::optional<encoded> split(const payload& input) {
  if (input.size() < 2) return {};
  std::size_t at = 2, header = byte_at(input, 0) | byte_at(input, 1) << 8;
  if (header > input.size() - at) return {};
  encoded out{input.part(at, header), {}};
  for (at += header; at < input.size();) {
    const std::size_t length = byte_at(input, at++);
    if (length > input.size() - at) return {};
    out.frames.push_back(input.part(at, length));
    at += length;
  }
  return out;
}

member_table a_table() {
  member_table table;
  for (std::uint32_t i = 0; i < 5; ++i) table.members.push_back(any::a_member(i));
  return table;
}

}  // namespace

bool read_hello(const payload& input) {
  return comes_back(decode_hello(input), encode_hello, decode_hello);
}

std::vector<payload> hellos() {
  return made_by_chance([] {
    return encode_hello({1, 2, any::text(), any::text(), any::a_rank(), any::a_life(), any::text(),
                         any::text(), *rc::gen::inRange<std::uint32_t>(0, 2),
                         *rc::gen::inRange<std::uint64_t>(1, 9)});
  });
}

bool read_answer(const payload& input) {
  return comes_back(decode_answer(input), encode_answer, decode_answer);
}

std::vector<payload> answers() {
  return made_by_chance([] {
    if (*rc::gen::arbitrary<bool>())
      return encode_answer(welcome{any::a_rank(), any::a_life(), protocol_version_max});
    status why = any::a_status();
    if (why.ok()) why.code = status_code::refused;  // ok is no refusal
    return encode_answer(refusal{why});
  });
}

bool read_envelope(const payload& input) {
  const auto parts = split(input);
  if (!parts) return false;
  return comes_back(decode(parts->header, parts->frames), encode,
                    [](const encoded& e) { return decode(e.header, e.frames); });
}

std::vector<payload> envelopes() {
  return made_by_chance([] { return joined(encode(any::an_envelope())); });
}

bool read_member(const payload& input) {
  return comes_back(decode_member(input), encode_member, decode_member);
}

std::vector<payload> members() {
  return made_by_chance([] { return encode_member(any::a_member(3)); });
}

bool read_member_table(const payload& input) {
  return comes_back(decode_table(input), encode_table, decode_table);
}

std::vector<payload> member_tables() {
  return made_by_chance([] { return encode_table(a_table()); });
}

}  // namespace muster::fuzz
