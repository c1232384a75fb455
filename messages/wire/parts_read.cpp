#include <muster/messages/wire/parts.hpp>

#include <limits>
#include <utility>

#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

// The numbers in control.proto are those of messages/values.
static_assert(wire::OP_KIND_JOIN == static_cast<int>(op_kind::join));
static_assert(wire::OP_KIND_LEAVE == static_cast<int>(op_kind::leave));
static_assert(wire::OP_KIND_BARRIER == static_cast<int>(op_kind::barrier));
static_assert(wire::OP_KIND_SYNC_GLOBAL_DEVICES == static_cast<int>(op_kind::sync_global_devices));
static_assert(wire::OP_KIND_BROADCAST_ONE_TO_ALL ==
              static_cast<int>(op_kind::broadcast_one_to_all));
static_assert(wire::OP_KIND_ALL_REDUCE == static_cast<int>(op_kind::all_reduce));
static_assert(wire::OP_KIND_PROCESS_ALLGATHER == static_cast<int>(op_kind::process_allgather));
static_assert(wire::OP_KIND_ASSERT_EQUAL == static_cast<int>(op_kind::assert_equal));
static_assert(wire::OP_KIND_GATHER == static_cast<int>(op_kind::gather));
static_assert(wire::OP_KIND_REDUCE == static_cast<int>(op_kind::reduce));
static_assert(wire::OP_KIND_REDUCE_SCATTER == static_cast<int>(op_kind::reduce_scatter));
static_assert(wire::OP_KIND_ALL_GATHER == static_cast<int>(op_kind::all_gather));
static_assert(wire::OP_KIND_BROADCAST == static_cast<int>(op_kind::broadcast));
static_assert(wire::REDUCE_OP_SUM == static_cast<int>(reduce_op::sum));
static_assert(wire::REDUCE_OP_MEAN == static_cast<int>(reduce_op::mean));
static_assert(wire::REDUCE_OP_PROD == static_cast<int>(reduce_op::prod));
static_assert(wire::REDUCE_OP_MIN == static_cast<int>(reduce_op::min));
static_assert(wire::REDUCE_OP_MAX == static_cast<int>(reduce_op::max));
static_assert(wire::REDUCE_OP_BIT_AND == static_cast<int>(reduce_op::bit_and));
static_assert(wire::REDUCE_OP_BIT_OR == static_cast<int>(reduce_op::bit_or));
static_assert(wire::REDUCE_OP_ARGMAX == static_cast<int>(reduce_op::argmax));
static_assert(wire::REDUCE_OP_NORM == static_cast<int>(reduce_op::norm));

bool read_kind(reader& r, wire::OpKind from, op_kind& to) {
  if (from == wire::OP_KIND_UNSPECIFIED || !wire::OpKind_IsValid(from))
    return r.refuse("operation kind " + std::to_string(from) + " is not known");
  to = static_cast<op_kind>(from);
  return true;
}

bool read_reduce(reader& r, wire::ReduceOp from, std::optional<reduce_op>& to) {
  if (!wire::ReduceOp_IsValid(from))
    return r.refuse("reduction " + std::to_string(from) + " is not known");
  if (from != wire::REDUCE_OP_UNSPECIFIED) to = static_cast<reduce_op>(from);
  return true;
}

bool read_dtype(reader& r, std::uint32_t from, std::optional<dtype>& to) {
  if (from == 0) return true;
  to = dtype_from_number(from);
  return to || r.refuse("dtype " + std::to_string(from) + " is not known");
}

template <class Dimensions>
bool read_shape(reader& r, const Dimensions& from, shape_vector& to) {
  std::int64_t elements = 1;
  for (std::int64_t n : from) {
    if (n < 0) return r.refuse("dimension " + std::to_string(n) + " is negative");
    if (n != 0 && elements > std::numeric_limits<std::int64_t>::max() / n)
      return r.refuse("a shape of more elements than 64 bits count");
    if (n != 0) elements *= n;  // a zero elsewhere must not hide an overflow
    to.push_back(n);
  }
  return true;
}

}  // namespace

bool reader::refuse(std::string reason) {
  why = std::move(reason);
  return false;
}

bool reader::read(const wire::OperationKey& from, operation_key& to) {
  if (!known(from)) return false;
  switch (from.match_case()) {
    case wire::OperationKey::kSequence:
      to = ordered_key{from.sequence()};
      return from.sequence() != 0 || refuse("sequence 0: operations count from 1");
    case wire::OperationKey::kNamed: {
      auto& named = to.emplace<named_key>();
      return known(from.named()) && read_kind(*this, from.named().kind(), named.kind) &&
             read_name(from.named().name(), named.name) &&
             (is_named(named.kind) || refuse("a name for an operation that matches by sequence"));
    }
    case wire::OperationKey::MATCH_NOT_SET:
      return refuse("an operation key that is neither a sequence nor a name");
  }
  return refuse("an operation key of an unknown kind");
}

bool reader::read(const wire::Signature& from, signature& to) {
  to.leaf_count = from.leaf_count();
  return known(from) && read_kind(*this, from.kind(), to.kind) && read_name(from.name(), to.name) &&
         (!from.has_source() || read_rank(from.source(), to.source.emplace())) &&
         (!from.has_target() || read_rank(from.target(), to.target.emplace())) &&
         read_reduce(*this, from.reduce(), to.reduce) &&
         read_dtype(*this, from.dtype(), to.dtype) && read_shape(*this, from.shape(), to.shape) &&
         read_members(from.members(), to.members) && read_outline(from.outline(), to.outline);
}

bool reader::read(const wire::Deadlines& from, deadlines& to) {
  return known(from) && read_duration(from.soft_ns(), to.soft) &&
         read_duration(from.hard_ns(), to.hard);
}

bool reader::read(const wire::Contribution& from, std::vector<payload>& frames, contribution& to) {
  if (!known(from)) return false;
  if (from.frame_count() != frames.size())
    return refuse(std::to_string(frames.size()) + " frames where the header announces " +
                  std::to_string(from.frame_count()));
  if (from.parts_size() != 0 && static_cast<std::size_t>(from.parts_size()) != frames.size())
    return refuse(std::to_string(from.parts_size()) + " parts for " +
                  std::to_string(frames.size()) + " frames");
  if (from.held_size() != 0 && !frames.empty()) return refuse("frames beside what is held back");
  if (!read_parts(from.parts(), to.parts) || !read_each(from.held(), to.held)) return false;
  for (const auto& frame : frames)
    if (frame.size() > limits::inline_bytes_max)
      return refuse("a frame of " + std::to_string(frame.size()) + " bytes, the most is " +
                    std::to_string(limits::inline_bytes_max));
  to.frames = std::exchange(frames, {});
  return true;
}

bool reader::read(const wire::Statement& from, statement& to) {
  return known(from) && present(from.has_said(), "signature in a statement") &&
         read(from.said(), to.said) && read_ranks(from.ranks(), to.ranks);
}

bool reader::read(const wire::Absence& from, absence& to) {
  using state = absence::state;
  static_assert(static_cast<int>(state::not_arrived) == 1 &&
                static_cast<int>(state::unreachable) == 5);
  if (from.where() < 1 || from.where() > 5)
    return refuse("absence state " + std::to_string(from.where()) + " is not known");
  to.where = static_cast<state>(from.where());
  to.what = from.what();
  return known(from) && read_ranks(from.ranks(), to.ranks) &&
         read_duration(from.since_ns(), to.since);
}

bool reader::read(const wire::Status& from, status& to) {
  const auto code = status_code_from_number(from.code());
  if (!code) return refuse("status code " + std::to_string(from.code()) + " is not known");
  to.code = *code;
  to.text = from.text();
  return known(from) && read_each(from.absences(), to.absences) &&
         read_each(from.statements(), to.statements) && read_ranks(from.unheard(), to.unheard);
}

bool reader::read(const wire::Incarnation& from, incarnation& to) {
  to.bits = {from.high(), from.low()};
  return true;  // part of Hello too, hence unknown fields are allowed
}

bool reader::read(const wire::HeldPart& from, held_part& to) {
  to.bytes = from.bytes();
  return known(from) && read_rank(from.of(), to.of) && read_parts(from.parts(), to.parts);
}

bool reader::read_ranks(const std::string& bytes, rank_set& to) {
  auto decoded = rank_set::decode(bytes);
  if (!decoded) return refuse("a malformed set of ranks");
  to = std::move(*decoded);
  return true;
}

bool reader::read_members(const std::string& bytes, rank_set& to) {
  return bytes.empty() ||
         (read_ranks(bytes, to) && (!to.empty() || refuse("members that are nobody")));
}

bool reader::read_outline(const std::string& bytes, payload& to) {
  if (bytes.size() > limits::outline_bytes_max)
    return refuse("an outline of " + std::to_string(bytes.size()) + " bytes, the most is " +
                  std::to_string(limits::outline_bytes_max));
  if (!bytes.empty()) to = payload::copy_of(std::string_view(bytes));
  return true;
}

bool reader::read_rank(std::uint32_t number, rank& to) {
  to = rank{number};
  return number < limits::world_size_max ||
         refuse("rank " + std::to_string(number) + ", ranks are below " +
                std::to_string(limits::world_size_max));
}

bool reader::read_duration(std::int64_t ns, duration& to) {
  to = duration{ns};
  return ns >= 0 || refuse("a duration of " + std::to_string(ns) + " ns");
}

bool reader::read_name(const std::string& bytes, std::string& to) {
  to = bytes;
  return bytes.size() <= limits::name_bytes_max ||
         refuse("a name of " + std::to_string(bytes.size()) + " bytes, the most is " +
                std::to_string(limits::name_bytes_max));
}

bool reader::read_endpoint(const std::string& bytes, std::string& to) {
  to = bytes;
  return bytes.size() <= limits::endpoint_bytes_max ||
         refuse("an endpoint of " + std::to_string(bytes.size()) + " bytes, the most is " +
                std::to_string(limits::endpoint_bytes_max));
}

}  // namespace muster
