#include <muster/messages/wire/parts.hpp>

#include <algorithm>
#include <cstring>

namespace muster {

std::int64_t wire_duration(duration d) { return std::max(d, duration::zero()).count(); }

void write(const operation_key& from, wire::OperationKey& to) {
  if (const auto* ordered = std::get_if<ordered_key>(&from)) {
    to.set_sequence(ordered->sequence);
  } else {
    const auto& named = std::get<named_key>(from);
    to.mutable_named()->set_kind(static_cast<wire::OpKind>(named.kind));
    to.mutable_named()->set_name(named.name);
  }
}

void write(const signature& from, wire::Signature& to) {
  to.set_kind(static_cast<wire::OpKind>(from.kind));
  to.set_name(from.name);
  to.set_source(from.source.value);
  if (from.reduce) to.set_reduce(static_cast<wire::ReduceOp>(*from.reduce));
  if (from.dtype) to.set_dtype(static_cast<std::uint32_t>(*from.dtype));
  to.mutable_shape()->Add(from.shape.begin(), from.shape.end());
  to.set_leaf_count(from.leaf_count);
}

void write(const deadlines& from, wire::Deadlines& to) {
  to.set_soft_ns(wire_duration(from.soft));
  to.set_hard_ns(wire_duration(from.hard));
}

void write(const contribution& from, wire::Contribution& to) {
  to.set_frame_count(static_cast<std::uint32_t>(from.frames.size()));
  for (const auto& part : from.parts) {
    auto& p = *to.add_parts();
    p.set_first(part.first);
    p.set_last(part.last);
  }
}

void write(const statement& from, wire::Statement& to) {
  write(from.said, *to.mutable_said());
  to.set_ranks(from.ranks.encode());
}

void write(const absence& from, wire::Absence& to) {
  to.set_ranks(from.ranks.encode());
  to.set_where(static_cast<std::uint32_t>(from.where));
  to.set_what(from.what);
  to.set_since_ns(wire_duration(from.since));
}

void write(const status& from, wire::Status& to) {
  to.set_code(static_cast<std::uint32_t>(from.code));
  to.set_text(from.text);
  write_each(from.absences, *to.mutable_absences());
  write_each(from.statements, *to.mutable_statements());
  to.set_unheard(from.unheard.encode());
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
