#include <muster/messages/wire/member_codec.hpp>

#include <algorithm>
#include <utility>

#include <muster/messages/values/limits.hpp>
#include <muster/messages/wire/parts.hpp>

namespace muster {
namespace {

void write_member(const member& from, wire::Member& to) {
  to.set_rank(from.rank.value);
  write(from.incarnation, *to.mutable_incarnation());
  to.set_control_endpoint(from.control_endpoint);
  to.set_bulk_endpoint(from.bulk_endpoint);
  to.set_device_count(from.device_count);
}

bool read_member(reader& r, const wire::Member& from, member& to) {
  to.device_count = from.device_count();
  if (to.device_count > limits::devices_per_host_max)
    return r.refuse(std::to_string(to.device_count) + " devices, the most is " +
                    std::to_string(limits::devices_per_host_max));
  return r.known(from) && r.read_rank(from.rank(), to.rank) &&
         r.present(from.has_incarnation(), "incarnation") &&
         r.read(from.incarnation(), to.incarnation) &&
         r.read_endpoint(from.control_endpoint(), to.control_endpoint) &&
         r.read_endpoint(from.bulk_endpoint(), to.bulk_endpoint);
}

bool distinct(std::vector<member> members) {
  const auto bits = [](const member& m) { return m.incarnation.bits; };
  std::ranges::sort(members, {}, bits);
  return std::ranges::adjacent_find(members, {}, bits) == members.end();
}

bool read_table(reader& r, const wire::MemberTable& from, member_table& to) {
  if (static_cast<std::uint32_t>(from.members_size()) > limits::world_size_max)
    return r.refuse(std::to_string(from.members_size()) + " members, the most is " +
                    std::to_string(limits::world_size_max));
  to.generation = generation{from.generation()};
  for (const auto& m : from.members()) {
    const auto expected = static_cast<std::uint32_t>(to.members.size());
    if (!read_member(r, m, to.members.emplace_back())) return false;
    if (to.members.back().rank.value != expected)
      return r.refuse("rank " + std::to_string(to.members.back().rank.value) +
                      " in the place of rank " + std::to_string(expected));
  }
  return r.known(from) && (distinct(to.members) || r.refuse("two members of one incarnation"));
}

status malformed(const char* what, std::string why) {
  return error(status_code::invalid_argument,
               std::string("malformed ") + what + ": " + std::move(why));
}

}  // namespace

payload encode_member(const member& from) {
  wire::Member to;
  write_member(from, to);
  return bytes_of(to);
}

payload encode_table(const member_table& from) {
  wire::MemberTable to;
  to.set_generation(from.generation.value);
  for (const auto& m : from.members) write_member(m, *to.add_members());
  return bytes_of(to);
}

result<member> decode_member(const payload& bytes) {
  wire::Member parsed;
  reader r;
  member out;
  if (bytes.size() > limits::header_bytes_max || !parse(bytes.bytes(), parsed))
    return malformed("member", std::to_string(bytes.size()) + " bytes that are none");
  if (!read_member(r, parsed, out)) return malformed("member", std::move(r.why));
  return out;
}

result<member_table> decode_table(const payload& bytes) {
  wire::MemberTable parsed;
  reader r;
  member_table out;
  if (bytes.size() > limits::header_bytes_max || !parse(bytes.bytes(), parsed))
    return malformed("member table", std::to_string(bytes.size()) + " bytes that are none");
  if (!read_table(r, parsed, out)) return malformed("member table", std::move(r.why));
  return out;
}

}  // namespace muster
