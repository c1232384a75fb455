#include <muster/runtime/gathered.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <muster/messages/values/ensure.hpp>

namespace muster {
namespace {

/// The same leaf of each tree.
template <class Leaf>
std::vector<Leaf> leaves(std::span<const tree* const> parts) {
  std::vector<Leaf> out;
  out.reserve(parts.size());
  for (const auto* part : parts) {
    const auto* leaf = part->leaf<Leaf>();
    ensure(leaf != nullptr, "trees that are gathered have equal outlines");
    out.push_back(*leaf);
  }
  return out;
}

template <class Leaf>
tree list_of(std::span<const tree* const> parts) {
  tree::list out;
  for (auto& leaf : leaves<Leaf>(parts)) out.items.emplace_back(std::move(leaf));
  return out;
}

tree gather_leaf(std::span<const tree* const> parts, gather_shape how) {
  const auto& first = std::get<tree_leaf>(parts.front()->get());
  if (std::holds_alternative<array>(first)) return gathered(leaves<array>(parts), how);
  if (std::holds_alternative<std::string>(first)) return list_of<std::string>(parts);
  if (std::holds_alternative<bytes_leaf>(first)) return list_of<bytes_leaf>(parts);
  if (std::holds_alternative<std::int64_t>(first)) return array::of(leaves<std::int64_t>(parts));
  if (std::holds_alternative<double>(first)) return array::of(leaves<double>(parts));
  return array::of(leaves<bool>(parts));
}

tree gather_node(std::span<const tree* const> parts, gather_shape how);

/// Child i of each.
template <class ChildOf>
tree gather_child(std::span<const tree* const> parts, gather_shape how, ChildOf child_of) {
  std::vector<const tree*> children;
  for (const auto* part : parts) children.push_back(child_of(*part));
  return gather_node(children, how);
}

template <class Items>
tree gather_items(std::span<const tree* const> parts, gather_shape how) {
  Items out;
  for (std::size_t i = 0; i < std::get<Items>(parts.front()->get()).items.size(); ++i)
    out.items.push_back(gather_child(
        parts, how, [i](const tree& t) { return &std::get<Items>(t.get()).items.at(i); }));
  return out;
}

tree gather_node(std::span<const tree* const> parts, gather_shape how) {
  const auto& node = parts.front()->get();
  if (std::holds_alternative<tree_leaf>(node)) return gather_leaf(parts, how);
  if (std::holds_alternative<tree::list>(node)) return gather_items<tree::list>(parts, how);
  if (std::holds_alternative<tree::tuple>(node)) return gather_items<tree::tuple>(parts, how);
  tree::dict out;
  const auto& entries = std::get<tree::dict>(node).entries;
  for (std::size_t i = 0; i < entries.size(); ++i)
    out.entries.emplace_back(entries[i].first, gather_child(parts, how, [i](const tree& t) {
                               return &std::get<tree::dict>(t.get()).entries.at(i).second;
                             }));
  return out;
}

}  // namespace

array gathered(std::span<const array> parts, gather_shape how) {
  ensure(!parts.empty(), "a gather has at least one part");
  const auto& first = parts.front();
  std::vector<std::byte> bytes;
  bytes.reserve(parts.size() * first.data.size());
  for (const auto& part : parts) {
    ensure(part.dtype == first.dtype && part.shape == first.shape,
           "arrays that are gathered are alike");
    bytes.insert(bytes.end(), part.data.bytes().begin(), part.data.bytes().end());
  }
  auto shape = first.shape;
  const auto count = static_cast<std::int64_t>(parts.size());
  if (how == gather_shape::tiled && !shape.empty())
    shape.front() *= count;
  else
    shape.insert(shape.begin(), count);
  return {first.dtype, std::move(shape), payload::adopt(std::move(bytes))};
}

tree gathered(std::span<const tree> parts, gather_shape how) {
  ensure(!parts.empty(), "a gather has at least one part");
  std::vector<const tree*> all;
  for (const auto& part : parts) all.push_back(&part);
  return gather_node(all, how);
}

}  // namespace muster
