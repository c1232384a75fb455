#include <muster/messages/wire/hello.hpp>

#include <utility>

#include <muster/messages/values/limits.hpp>
#include <muster/messages/wire/parts.hpp>

namespace muster {
namespace {

// Not text, so that no text protocol begins like it, and with a line end that text modes would
// spoil.
constexpr std::string_view magic{"\x89MUSTER\n", 8};

bool read_speaker(reader& r, std::uint32_t number, rank& to) {
  to = rank{number};
  return to == launcher_rank || r.read_rank(number, to);
}

// Parses what follows the magic; an empty text means that it did.
template <class Message>
std::string parse_greeting(const payload& frame, Message& to) {
  if (frame.size() > limits::hello_bytes_max)
    return std::to_string(frame.size()) + " bytes, the most is " +
           std::to_string(limits::hello_bytes_max);
  if (!frame.text().starts_with(magic)) return "it does not begin with Muster's magic bytes";
  if (!parse(frame.bytes().subspan(magic.size()), to)) return "malformed after the magic bytes";
  return {};
}

bool read_hello(reader& r, const wire::Hello& from, hello& to) {
  to.version_min = from.version_min();
  to.version_max = from.version_max();
  to.credential = from.credential();
  to.lane = from.lane();
  to.life = from.life();
  if (to.version_min == 0 || to.version_min > to.version_max)
    return r.refuse("no range of versions");
  if (to.credential.size() > limits::credential_bytes_max)
    return r.refuse("a credential that is too long");
  if (to.lane > 1) return r.refuse("lane " + std::to_string(to.lane) + ", there are 0 and 1");
  if (to.life == 0) return r.refuse("life 0: lives count from 1");
  to.job = from.job();
  if (to.job.size() > limits::job_bytes_max) return r.refuse("a job name that is too long");
  return read_speaker(r, from.rank(), to.rank) &&
         r.present(from.has_incarnation(), "incarnation") &&
         r.read(from.incarnation(), to.incarnation) &&
         r.read_endpoint(from.control_endpoint(), to.control_endpoint) &&
         r.read_endpoint(from.bulk_endpoint(), to.bulk_endpoint);
}

bool read_welcome(reader& r, const wire::Welcome& from, welcome& to) {
  to.version = from.version();
  return read_speaker(r, from.rank(), to.rank) &&
         r.present(from.has_incarnation(), "incarnation") &&
         r.read(from.incarnation(), to.incarnation);
}

bool read_answer(reader& r, const wire::Answer& from, answer& to) {
  switch (from.kind_case()) {
    case wire::Answer::kWelcome: return read_welcome(r, from.welcome(), to.emplace<welcome>());
    case wire::Answer::kRefusal: {
      auto& why = to.emplace<refusal>().why;
      if (!r.read(from.refusal().why(), why)) return false;
      return !why.ok() || r.refuse("a refusal without an error");
    }
    case wire::Answer::KIND_NOT_SET: return r.refuse("neither a welcome nor a refusal");
  }
  return r.refuse("an answer of an unknown kind");
}

status malformed(const char* what, std::string why) {
  return error(status_code::invalid_argument,
               std::string("malformed ") + what + ": " + std::move(why));
}

}  // namespace

payload encode_hello(const hello& from) {
  wire::Hello to;
  to.set_version_min(from.version_min);
  to.set_version_max(from.version_max);
  to.set_job(from.job);
  to.set_credential(from.credential);
  to.set_rank(from.rank.value);
  write(from.incarnation, *to.mutable_incarnation());
  to.set_control_endpoint(from.control_endpoint);
  to.set_bulk_endpoint(from.bulk_endpoint);
  to.set_lane(from.lane);
  to.set_life(from.life);
  return bytes_of(to, magic);
}

payload encode_answer(const answer& from) {
  wire::Answer to;
  if (const auto* yes = std::get_if<welcome>(&from)) {
    to.mutable_welcome()->set_rank(yes->rank.value);
    write(yes->incarnation, *to.mutable_welcome()->mutable_incarnation());
    to.mutable_welcome()->set_version(yes->version);
  } else {
    write(std::get<refusal>(from).why, *to.mutable_refusal()->mutable_why());
  }
  return bytes_of(to, magic);
}

result<hello> decode_hello(const payload& frame) {
  wire::Hello parsed;
  reader r;
  hello out;
  if (auto why = parse_greeting(frame, parsed); !why.empty())
    return malformed("hello", std::move(why));
  if (!read_hello(r, parsed, out)) return malformed("hello", std::move(r.why));
  return out;
}

result<answer> decode_answer(const payload& frame) {
  wire::Answer parsed;
  reader r;
  answer out;
  if (auto why = parse_greeting(frame, parsed); !why.empty())
    return malformed("answer", std::move(why));
  if (!read_answer(r, parsed, out)) return malformed("answer", std::move(r.why));
  return out;
}

}  // namespace muster
