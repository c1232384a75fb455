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

std::string all_reduce_fields(const signature& s) {
  std::string out = " ";
  out += s.reduce ? to_string(*s.reduce) : std::string_view("no reduction");
  out += " of ";
  out += s.dtype ? to_string(*s.dtype) : std::string_view("no dtype");
  return out + " " + to_string(s.shape) + " over " + std::to_string(s.leaf_count) + " leaves";
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
  std::string out = kind_and_name(s.kind, s.name);
  switch (s.kind) {
    case op_kind::leave:
    case op_kind::barrier:
    case op_kind::sync_global_devices: return out;
    case op_kind::join: return out + " of " + std::to_string(s.leaf_count) + " hosts";
    case op_kind::broadcast_one_to_all: return out + " from rank " + to_string(s.source);
    case op_kind::all_reduce: return out + all_reduce_fields(s);
  }
  return out;
}

combiner combiner_of(op_kind kind) {
  switch (kind) {
    case op_kind::leave:
    case op_kind::barrier:
    case op_kind::sync_global_devices: return combiner::nothing;
    case op_kind::broadcast_one_to_all: return combiner::one;
    case op_kind::join: return combiner::concatenate;
    case op_kind::all_reduce: return combiner::fold;
  }
  return combiner::nothing;
}

bool is_named(op_kind kind) {
  switch (kind) {
    case op_kind::join:
    case op_kind::leave:
    case op_kind::barrier: return true;
    case op_kind::sync_global_devices:
    case op_kind::broadcast_one_to_all:
    case op_kind::all_reduce: return false;
  }
  return false;
}

}  // namespace muster
