// Operations on arrays of devices that move and do not reduce them.
#include <utility>

#include <muster/messages/values/outline.hpp>
#include <muster/runtime/gathered.hpp>
#include <muster/runtime/host_state.hpp>

namespace muster {
namespace {

status invalid(std::string why) { return error(status_code::invalid_argument, std::move(why)); }

std::string looks(const array& a) {
  return std::string(to_string(a.dtype)) + " " + to_string(a.shape);
}

/// dtype and shape of what this host gives, or the first thing that breaks a rule.
result<signature> all_gather_says(std::span<const array> parts, std::span<const rank> group) {
  auto said = says(op_kind::all_gather);
  if (auto why = among(group, said); !why.ok()) return why;
  if (parts.empty()) return invalid("all_gather: a member gives at least one array");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!is_dense(parts[i]))
      return invalid("all_gather: array " + std::to_string(i) + " of " + looks(parts[i]) + " has " +
                     std::to_string(parts[i].data.size()) + " bytes");
    if (parts[i].dtype != parts[0].dtype || parts[i].shape != parts[0].shape)
      return invalid("all_gather: array " + std::to_string(i) + " is " + looks(parts[i]) +
                     ", the first is " + looks(parts[0]));
  }
  said.dtype = parts[0].dtype;
  said.shape = parts[0].shape;
  return said;
}

/// A host's arrays travel as one packed list.
payload packed(std::span<const array> parts) {
  tree::list out;
  for (const auto& part : parts) out.items.emplace_back(part);
  return pack(tree(std::move(out)));
}

struct to_gathered_array {
  gather_shape how;
  result<array> operator()(const contribution& made) const {
    std::vector<array> parts;
    for (const auto& frame : made.frames) {
      const auto one = unpack(frame);
      if (!one) return one.why();
      const auto* list = std::get_if<tree::list>(&one->get());
      for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i)
        if (const auto* part = list->items[i].leaf<array>()) parts.push_back(*part);
    }
    for (const auto& part : parts)
      if (part.dtype != parts[0].dtype || part.shape != parts[0].shape) parts.clear();
    if (parts.empty())
      return error(status_code::internal, "all_gather: a result that is no list of arrays");
    return gathered(parts, how);
  }
};

struct to_one_array {
  result<array> operator()(const contribution& made) const {
    auto one = made.frames.size() == 1 ? unpack(made.frames.front()) : result<tree>(tree{});
    if (!one) return one.why();
    const auto* value = one->leaf<array>();
    if (value == nullptr)
      return error(status_code::internal, "broadcast: a result that is no array");
    return *value;
  }
};

}  // namespace

op<array> host::all_gather(std::span<const array> per_device, allgather_options o) const {
  auto said = all_gather_says(per_device, o.group);
  if (!said) return op<array>::completed(said.why());
  contribution given;
  given.frames.push_back(packed(per_device));
  const auto how = o.tiled ? gather_shape::tiled : gather_shape::stacked;
  return state_->start<array>(std::move(*said), {o.soft, o.hard}, std::move(given),
                              to_gathered_array{how});
}

op<array> host::broadcast(const std::optional<array>& value, device_index source,
                          operation_options o) const {
  auto said = says(op_kind::broadcast);
  if (auto why = among(o.group, said); !why.ok()) return op<array>::completed(std::move(why));
  if (source.value >= device_count())
    return op<array>::completed(invalid("broadcast: device " + std::to_string(source.value) +
                                        " must be below the " + std::to_string(device_count()) +
                                        " devices of all hosts"));
  said.source = members().host_of(source);
  said.leaf_count = source.value;
  contribution given;
  if (value) {
    const tree whole(*value);
    if (auto why = check_packable(whole); !why.ok())
      return op<array>::completed(invalid("broadcast: " + why.text));
    said.outline = outline_of(whole);
    if (said.source == rank()) given.frames.push_back(pack(whole));
  }
  return state_->start<array>(std::move(said), {o.soft, o.hard}, std::move(given), to_one_array{});
}

}  // namespace muster
