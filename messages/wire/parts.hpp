// Private to the box: the parts that control messages are made of, between structs and Protobuf.
#pragma once

#include <string>
#include <vector>

#include <muster/messages/wire/control.pb.h>
#include <muster/messages/values/control.hpp>

namespace muster {

void write(const operation_key&, wire::OperationKey&);
void write(const signature&, wire::Signature&);
void write(const deadlines&, wire::Deadlines&);
void write(const contribution&, wire::Contribution&);
void write(const statement&, wire::Statement&);
void write(const absence&, wire::Absence&);
void write(const status&, wire::Status&);
void write(const incarnation&, wire::Incarnation&);
void write(const held_part&, wire::HeldPart&);
std::string wire_members(const rank_set&);  // absent for everyone
std::int64_t wire_duration(duration);       // nanoseconds, not below zero

template <class Struct, class Repeated>
void write_each(const std::vector<Struct>& from, Repeated& to) {
  to.Reserve(static_cast<int>(from.size()));
  for (const auto& item : from) write(item, *to.Add());
}

/// The bytes of a Protobuf message, after `prefix`.
payload bytes_of(const google::protobuf::MessageLite&, std::string_view prefix = {});
bool parse(bytes_view, google::protobuf::MessageLite&);

/// Reads parts strictly. Every function returns false at the first thing that breaks a rule; `why`
/// then says what, and the target holds rubbish.
class reader {
 public:
  std::string why;

  bool refuse(std::string reason);

  bool read(const wire::OperationKey&, operation_key&);
  bool read(const wire::Signature&, signature&);
  bool read(const wire::Deadlines&, deadlines&);
  bool read(const wire::Statement&, statement&);
  bool read(const wire::Absence&, absence&);
  bool read(const wire::Status&, status&);
  bool read(const wire::Incarnation&, incarnation&);
  bool read(const wire::HeldPart&, held_part&);
  /// Takes exactly the announced number of frames.
  bool read(const wire::Contribution&, std::vector<payload>& frames, contribution&);

  template <class Parts>
  bool read_parts(const Parts& from, std::vector<subtree>& to) {
    for (const auto& part : from) {
      if (!known(part)) return false;
      if (part.first() >= part.last()) return refuse("a part that stands for no leaves");
      to.push_back({part.first(), part.last()});
    }
    return true;
  }
  bool read_ranks(const std::string& bytes, rank_set&);
  /// Absent bytes are everyone.
  bool read_members(const std::string& bytes, rank_set&);
  bool read_outline(const std::string& bytes, payload&);
  bool read_rank(std::uint32_t number, rank&);
  bool read_duration(std::int64_t ns, duration&);
  bool read_name(const std::string& bytes, std::string&);
  bool read_endpoint(const std::string& bytes, std::string&);

  bool present(bool has, const char* field) { return has || refuse(std::string("no ") + field); }
  template <class Message>
  bool known(const Message& m) {
    return m.GetReflection()->GetUnknownFields(m).empty() ||
           refuse(m.GetTypeName() + " with a field that this version does not know");
  }
  template <class Repeated, class Struct>
  bool read_each(const Repeated& from, std::vector<Struct>& to) {
    to.reserve(static_cast<std::size_t>(from.size()));
    for (const auto& item : from)
      if (!read(item, to.emplace_back())) return false;
    return true;
  }
};

}  // namespace muster
