#include <muster/messages/values/operation.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {

namespace {

/// The kind, and the name where there is one. A barrier without a name shows that its name is empty.
std::string kind_and_name(op_kind kind, const std::string& name) {
  std::string out(to_string(kind));
  if (!name.empty() || kind == op_kind::barrier) (out += ' ') += in_quotes(name);
  return out;
}

std::string array_of(const signature& s) {
  return std::string(s.dtype ? to_string(*s.dtype) : std::string_view("no dtype")) + " " +
         to_string(s.shape);
}

std::string reduction(const signature& s) {
  return std::string(" ") +
         std::string(s.reduce ? to_string(*s.reduce) : std::string_view("no reduction")) + " of " +
         array_of(s) + " over " + std::to_string(s.leaf_count) + " leaves";
}

std::string from_whom(const signature& s) {
  return s.source ? " from rank " + to_string(*s.source) : " from another host";
}

std::string to_whom(const signature& s) {
  return s.target ? " to rank " + to_string(*s.target) : " to no rank";
}

/// What the kind uses beside its name.
std::string fields(const signature& s) {
  const std::string tree = s.outline.empty() ? "" : " of a tree";
  switch (s.kind) {
    case op_kind::leave:
    case op_kind::barrier:
    case op_kind::sync_global_devices: return "";
    case op_kind::join: return " of " + std::to_string(s.leaf_count) + " hosts";
    case op_kind::broadcast_one_to_all: return tree + from_whom(s);
    case op_kind::all_reduce:
    case op_kind::reduce_scatter: return reduction(s);
    case op_kind::process_allgather:
    case op_kind::assert_equal: return tree;
    case op_kind::gather: return tree + to_whom(s);
    case op_kind::reduce: return reduction(s) + to_whom(s);
    case op_kind::all_gather: return " of " + array_of(s);
    case op_kind::broadcast: return from_whom(s) + ", device " + std::to_string(s.leaf_count);
  }
  return "";
}

}  // namespace

std::string_view to_string(op_kind kind) {
  switch (kind) {
    case op_kind::join: return "join";
    case op_kind::leave: return "leave";
    case op_kind::barrier: return "barrier";
    case op_kind::sync_global_devices: return "sync_global_devices";
    case op_kind::broadcast_one_to_all: return "broadcast_one_to_all";
    case op_kind::all_reduce: return "all_reduce";
    case op_kind::process_allgather: return "process_allgather";
    case op_kind::assert_equal: return "assert_equal";
    case op_kind::gather: return "gather";
    case op_kind::reduce: return "reduce";
    case op_kind::reduce_scatter: return "reduce_scatter";
    case op_kind::all_gather: return "all_gather";
    case op_kind::broadcast: return "broadcast";
  }
  return "unknown operation kind";
}

std::string_view to_string(reduce_op op) {
  switch (op) {
    case reduce_op::sum: return "sum";
    case reduce_op::mean: return "mean";
    case reduce_op::prod: return "prod";
    case reduce_op::min: return "min";
    case reduce_op::max: return "max";
    case reduce_op::bit_and: return "bit_and";
    case reduce_op::bit_or: return "bit_or";
    case reduce_op::argmax: return "argmax";
    case reduce_op::norm: return "norm";
  }
  return "unknown reduction";
}

std::string_view operands_of(reduce_op op) {
  switch (op) {
    case reduce_op::sum:
    case reduce_op::prod: return "of numbers";
    case reduce_op::mean:
    case reduce_op::norm: return "of floating-point numbers";
    case reduce_op::min:
    case reduce_op::max:
    case reduce_op::argmax: return "of numbers or bool";
    case reduce_op::bit_and:
    case reduce_op::bit_or: return "of integers or bool";
  }
  return "of nothing";
}

std::string to_string(const operation_key& key) {
  if (const auto* ordered = std::get_if<ordered_key>(&key))
    return "operation " + std::to_string(ordered->sequence);
  const auto& named = std::get<named_key>(key);
  return kind_and_name(named.kind, named.name);
}

std::string to_string(const signature& s) {
  std::string out = kind_and_name(s.kind, s.name) + fields(s);
  if (!s.members.empty()) out += " among ranks " + to_string(s.members);
  return out;
}

std::optional<signature> agreed(const signature& a, const signature& b) {
  if (a == b) return a;
  signature out = a;
  if (!out.source) out.source = b.source;
  if (out.outline.empty()) out.outline = b.outline;
  signature other = b;
  if (!other.source) other.source = out.source;
  if (other.outline.empty()) other.outline = out.outline;
  if (out != other) return std::nullopt;
  return out;
}

combiner combiner_of(op_kind kind) {
  switch (kind) {
    case op_kind::leave:
    case op_kind::barrier:
    case op_kind::sync_global_devices:
    case op_kind::assert_equal: return combiner::nothing;
    case op_kind::broadcast_one_to_all:
    case op_kind::broadcast: return combiner::one;
    case op_kind::join:
    case op_kind::process_allgather:
    case op_kind::gather:
    case op_kind::all_gather: return combiner::concatenate;
    case op_kind::all_reduce:
    case op_kind::reduce:
    case op_kind::reduce_scatter: return combiner::fold;
  }
  return combiner::nothing;
}

bool is_named(op_kind kind) {
  return kind == op_kind::join || kind == op_kind::leave || kind == op_kind::barrier;
}

}  // namespace muster
