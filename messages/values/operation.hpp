// What an operation is called and what must be equal on all hosts for it to be the same one.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <muster/messages/values/array.hpp>
#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/payload.hpp>
#include <muster/messages/values/rank_set.hpp>

namespace muster {

/// The numbers are wire numbers.
enum class op_kind : std::uint8_t {
  join = 1,
  leave = 2,
  barrier = 3,
  sync_global_devices = 4,
  broadcast_one_to_all = 5,
  all_reduce = 6,
  process_allgather = 7,
  assert_equal = 8,
  gather = 9,
  reduce = 10,
  reduce_scatter = 11,
  all_gather = 12,
  broadcast = 13,
};

enum class reduce_op : std::uint8_t {
  sum = 1,
  mean = 2,
  prod = 3,
  min = 4,
  max = 5,
  bit_and = 6,  // of truth for bool
  bit_or = 7,
  argmax = 8,  // which leaf has the largest
  norm = 9,    // square root of the sum of squares
};

std::string_view to_string(op_kind);
std::string_view to_string(reduce_op);

/// Which arrays can be reduced so: sums and products are of numbers, smallest, largest and the leaf of the largest of
/// numbers and bool, means and norms of floating point, and and or of integers and bool.
constexpr bool reduces(reduce_op op, dtype type) {
  const bool floating =
      type == dtype::f32 || type == dtype::f64 || type == dtype::f16 || type == dtype::bf16;
  switch (op) {
    case reduce_op::sum:
    case reduce_op::prod: return type != dtype::boolean;
    case reduce_op::mean:
    case reduce_op::norm: return floating;
    case reduce_op::min:
    case reduce_op::max:
    case reduce_op::argmax: return true;
    case reduce_op::bit_and:
    case reduce_op::bit_or: return !floating;
  }
  return false;
}
/// The same for people: "of floating-point numbers".
std::string_view operands_of(reduce_op);

/// The dtype of the result: the arrays' own, but for the number of a leaf.
constexpr dtype result_dtype(reduce_op op, dtype of_arrays) {
  return op == reduce_op::argmax ? dtype::i64 : of_arrays;
}

/// Operations that move data or order the program match by the caller's own count in the group.
struct ordered_key {
  std::uint64_t sequence = 0;  // from 1
  friend auto operator<=>(const ordered_key&, const ordered_key&) = default;
};

/// Named operations match by kind and name, whole and byte for byte; there is no round number on the wire
/// (which round a message means follows from the sender's `decided_through`).
struct named_key {
  op_kind kind = op_kind::barrier;
  std::string name;
  friend auto operator<=>(const named_key&, const named_key&) = default;
};

using operation_key = std::variant<ordered_key, named_key>;

std::string to_string(const operation_key&);  // "operation 7" or "barrier 'data-ready'"

/// What every member must say alike. Compared field by field, never hashed.
struct signature {
  op_kind kind = op_kind::barrier;
  std::string name;                    // whole; for join the job
  std::optional<rank> source;          // broadcasts: who gives; nothing: another host
  std::optional<reduce_op> reduce;     // reductions
  std::optional<muster::dtype> dtype;  // of the arrays, where all have the same
  shape_vector shape;
  std::uint64_t leaf_count = 0;  // leaves of the reduction; join: world size; broadcast: the device
  std::optional<rank> target{};  // gather, reduce: who receives
  rank_set members{};            // who takes part; empty: everyone
  payload outline{};             // of trees (outline.hpp); empty where a host gives none
  friend bool operator==(const signature&, const signature&) = default;
};

/// One line, every field that the kind uses. Of an outline only that there is one: trees are compared for people by
/// `differences`.
std::string to_string(const signature&);

/// What both mean, when they mean the same: a source or an outline that one of them does not state is the other's.
/// Nothing where a field differs.
std::optional<signature> agreed(const signature&, const signature&);

/// How the contributions of one operation become one: what the kinds differ in, and all that they differ in.
enum class combiner : std::uint8_t {
  nothing,      // barriers, assert_equal, leave
  one,          // broadcasts: exactly the source contributes
  concatenate,  // join and gathers: one frame per rank, in rank order
  fold,         // reductions: partials of the reduction order, added by a device
};
combiner combiner_of(op_kind);

/// Whether the kind matches by name (else by the caller's sequence number).
bool is_named(op_kind);

}  // namespace muster
