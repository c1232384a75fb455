#include <muster/messages/wire/parts.hpp>

#include <algorithm>
#include <cstring>

namespace muster {

std::int64_t wire_duration(duration d) { return std::max(d, duration::zero()).count(); }

std::string wire_members(const rank_set& members) {
  return members.empty() ? std::string() : members.encode();
}

// Structs are taken apart by name, so that one with a new field does not compile until it is here.

void write(const operation_key& from, wire::OperationKey& to) {
  if (const auto* ordered = std::get_if<ordered_key>(&from)) {
    const auto& [sequence] = *ordered;
    to.set_sequence(sequence);
  } else {
    const auto& [kind, name] = std::get<named_key>(from);
    to.mutable_named()->set_kind(static_cast<wire::OpKind>(kind));
    to.mutable_named()->set_name(name);
  }
}

void write(const signature& from, wire::Signature& to) {
  const auto& [kind, name, source, reduction, element, shape, leaf_count, target, members,
               outline] = from;
  to.set_kind(static_cast<wire::OpKind>(kind));
  to.set_name(name);
  if (source) to.set_source(source->value);
  if (target) to.set_target(target->value);
  if (reduction) to.set_reduce(static_cast<wire::ReduceOp>(*reduction));
  if (element) to.set_dtype(static_cast<std::uint32_t>(*element));
  to.mutable_shape()->Add(shape.begin(), shape.end());
  to.set_leaf_count(leaf_count);
  if (!members.empty()) to.set_members(wire_members(members));
  if (!outline.empty()) to.set_outline(outline.data(), outline.size());
}

void write(const deadlines& from, wire::Deadlines& to) {
  const auto& [soft, hard] = from;
  to.set_soft_ns(wire_duration(soft));
  to.set_hard_ns(wire_duration(hard));
}

void write(const contribution& from, wire::Contribution& to) {
  const auto& [parts, frames, held] = from;
  to.set_frame_count(static_cast<std::uint32_t>(frames.size()));
  write_each(held, *to.mutable_held());
  for (const auto& [first, last] : parts) {
    auto& p = *to.add_parts();
    p.set_first(first);
    p.set_last(last);
  }
}

void write(const held_part& from, wire::HeldPart& to) {
  const auto& [of, bytes, parts] = from;
  to.set_of(of.value);
  to.set_bytes(bytes);
  for (const auto& [first, last] : parts) {
    auto& p = *to.add_parts();
    p.set_first(first);
    p.set_last(last);
  }
}

void write(const statement& from, wire::Statement& to) {
  const auto& [said, ranks] = from;
  write(said, *to.mutable_said());
  to.set_ranks(ranks.encode());
}

void write(const absence& from, wire::Absence& to) {
  const auto& [ranks, where, what, since] = from;
  to.set_ranks(ranks.encode());
  to.set_where(static_cast<std::uint32_t>(where));
  to.set_what(what);
  to.set_since_ns(wire_duration(since));
}

void write(const status& from, wire::Status& to) {
  const auto& [code, text, absences, statements, unheard] = from;
  to.set_code(static_cast<std::uint32_t>(code));
  to.set_text(text);
  write_each(absences, *to.mutable_absences());
  write_each(statements, *to.mutable_statements());
  to.set_unheard(unheard.encode());
}

void write(const incarnation& from, wire::Incarnation& to) {
  to.set_high(from.bits[0]);
  to.set_low(from.bits[1]);
}

payload bytes_of(const google::protobuf::MessageLite& from, std::string_view prefix) {
  std::vector<std::uint8_t> bytes(prefix.size() + from.ByteSizeLong());
  if (!prefix.empty()) std::memcpy(bytes.data(), prefix.data(), prefix.size());
  from.SerializeWithCachedSizesToArray(bytes.data() + prefix.size());
  return payload::adopt(std::move(bytes));
}

bool parse(bytes_view bytes, google::protobuf::MessageLite& to) {
  return to.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace muster
