#include <algorithm>
#include <bit>

#include <muster/messages/values/ensure.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/text.hpp>
#include <muster/messages/values/tree.hpp>

namespace muster {

namespace {

const std::vector<tree>* items_of(const tree& t) {
  if (const auto* l = std::get_if<tree::list>(&t.get())) return &l->items;
  if (const auto* l = std::get_if<tree::tuple>(&t.get())) return &l->items;
  return nullptr;
}

/// Calls f(path, child) for each child of a container, in order, until f returns false.
template <class F>
bool each_child(const tree& t, const std::string& path, bool at_root, F f) {
  const std::string prefix = at_root ? path : path + "/";
  if (const auto* d = std::get_if<tree::dict>(&t.get())) {
    return std::all_of(d->entries.begin(), d->entries.end(), [&](const auto& entry) {
      return f(prefix + detail::escaped_key(entry.first), entry.second);
    });
  }
  const auto* items = items_of(t);
  for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
    if (!f(prefix + std::to_string(i), (*items)[i])) return false;
  }
  return true;
}

void append_leaf_paths(const tree& t, const std::string& path, bool at_root,
                       std::vector<std::string>& out) {
  if (std::holds_alternative<tree_leaf>(t.get())) out.push_back(path);
  each_child(t, path, at_root, [&](const std::string& below, const tree& child) {
    append_leaf_paths(child, below, false, out);
    return true;
  });
}

std::optional<std::string> fault_of(const array& a) {
  if (!dtype_from_number(static_cast<std::uint32_t>(a.dtype)))
    return "the dtype of an array has no name";
  if (!is_dense(a)) {
    return "an array of " + std::string(to_string(a.dtype)) + " and shape " + to_string(a.shape) +
           " has " + std::to_string(a.data.size()) + " bytes";
  }
  if (!detail::are_booleans(a)) return "an array of bool has a byte that is neither 0 nor 1";
  return {};
}

/// What is wrong with this node alone.
std::optional<std::string> fault_of(const tree& t, std::size_t containers) {
  const bool leaf = std::holds_alternative<tree_leaf>(t.get());
  if (!leaf && containers == limits::tree_depth_max) {
    return "a tree nests at most " + std::to_string(limits::tree_depth_max) + " deep";
  }
  if (const auto* d = std::get_if<tree::dict>(&t.get())) {
    if (auto key = detail::repeated_key(*d))
      return "the key " + in_quotes(*key) + " appears twice in one dict";
  }
  if (const auto* a = t.leaf<array>()) return fault_of(*a);
  return {};
}

std::optional<std::string> first_fault(const tree& t, const std::string& path,
                                       std::size_t containers) {
  if (auto fault = fault_of(t, containers)) return "at " + in_quotes(path) + ": " + *fault;
  std::optional<std::string> fault;
  each_child(t, path, containers == 0, [&](const std::string& below, const tree& child) {
    fault = first_fault(child, below, containers + 1);
    return !fault;
  });
  return fault;
}

bool same_leaf(const tree_leaf& a, const tree_leaf& b) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (x != nullptr && y != nullptr)
    return std::bit_cast<std::uint64_t>(*x) == std::bit_cast<std::uint64_t>(*y);
  return a == b;
}

}  // namespace

namespace detail {

std::optional<std::string> repeated_key(const tree::dict& d) {
  std::vector<std::string_view> keys;
  for (const auto& entry : d.entries) keys.push_back(entry.first);
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  return twice == keys.end() ? std::nullopt : std::optional<std::string>(*twice);
}

bool are_booleans(const array& a) {
  if (a.dtype != dtype::boolean) return true;
  const auto bytes = a.data.bytes();
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b <= std::byte{1}; });
}

}  // namespace detail

tree& tree::set(std::string key, tree value) {
  auto* d = std::get_if<dict>(&node_);
  ensure(d != nullptr, "only a dict has keys to set");
  for (auto& entry : d->entries) {
    if (entry.first == key) {
      entry.second = std::move(value);
      return *this;
    }
  }
  d->entries.emplace_back(std::move(key), std::move(value));
  return *this;
}

const tree* tree::find(std::string_view key) const {
  const auto* d = std::get_if<dict>(&node_);
  if (d == nullptr) return nullptr;
  const auto it = std::find_if(d->entries.begin(), d->entries.end(),
                               [&](const auto& e) { return e.first == key; });
  return it == d->entries.end() ? nullptr : &it->second;
}

bool operator==(const tree::dict& a, const tree::dict& b) { return a.entries == b.entries; }
bool operator==(const tree::list& a, const tree::list& b) { return a.items == b.items; }
bool operator==(const tree::tuple& a, const tree::tuple& b) { return a.items == b.items; }

bool operator==(const tree& a, const tree& b) {
  const auto* x = std::get_if<tree_leaf>(&a.node_);
  const auto* y = std::get_if<tree_leaf>(&b.node_);
  if (x != nullptr && y != nullptr) return same_leaf(*x, *y);
  return a.node_ == b.node_;
}

std::string detail::escaped_key(std::string_view key) {
  std::string out;
  for (char c : key) {
    if (c == '/' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::vector<std::string> leaf_paths(const tree& t) {
  std::vector<std::string> out;
  append_leaf_paths(t, "", true, out);
  return out;
}

status check_packable(const tree& t) {
  if (auto fault = first_fault(t, "", 0))
    return error(status_code::invalid_argument, *std::move(fault));
  return {};
}

}  // namespace muster
