// A nest of dicts, lists, tuples and leaves with a stable order and a path to every leaf. A value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <muster/messages/values/array.hpp>
#include <muster/messages/values/payload.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

struct bytes_leaf {
  payload data;
  friend bool operator==(const bytes_leaf&, const bytes_leaf&) = default;
};

/// Leaves of a tree that travels: arrays, text, bytes, and scalars with their exact 64-bit value.
using tree_leaf = std::variant<array, std::string, bytes_leaf, std::int64_t, double, bool>;

/// Dicts keep the order in which they were built, and that order is part of the value; keys are unique.
/// Equality is bitwise in the leaves (so a NaN scalar equals the same NaN, and -0 is not +0).
class tree {
 public:
  struct dict {
    std::vector<std::pair<std::string, tree>> entries;
    friend bool operator==(const dict&, const dict&);
  };
  struct list {
    std::vector<tree> items;
    friend bool operator==(const list&, const list&);
  };
  struct tuple {
    std::vector<tree> items;
    friend bool operator==(const tuple&, const tuple&);
  };
  using node = std::variant<dict, list, tuple, tree_leaf>;

  tree() : node_(dict{}) {}
  tree(node n) : node_(std::move(n)) {}                            // NOLINT: every node is a tree
  tree(tree_leaf leaf) : node_(std::move(leaf)) {}                 // NOLINT
  tree(dict d) : node_(std::move(d)) {}                            // NOLINT
  tree(list l) : node_(std::move(l)) {}                            // NOLINT
  tree(tuple t) : node_(std::move(t)) {}                           // NOLINT
  tree(bytes_leaf b) : node_(tree_leaf(std::move(b))) {}           // NOLINT
  tree(array a) : node_(tree_leaf(std::move(a))) {}                // NOLINT
  tree(std::string text) : node_(tree_leaf(std::move(text))) {}    // NOLINT
  tree(const char* text) : node_(tree_leaf(std::string(text))) {}  // NOLINT
  tree(std::int64_t v) : node_(tree_leaf(v)) {}                    // NOLINT
  tree(int v) : node_(tree_leaf(std::int64_t{v})) {}               // NOLINT
  tree(double v) : node_(tree_leaf(v)) {}                          // NOLINT
  tree(bool v) : node_(tree_leaf(v)) {}                            // NOLINT

  /// Adds or replaces `key`; the tree must be a dict (asserted).
  tree& set(std::string key, tree value);
  /// The entry of a dict, or nullptr.
  [[nodiscard]] const tree* find(std::string_view key) const;
  [[nodiscard]] const node& get() const { return node_; }
  /// The leaf as T, or nullptr when this is not such a leaf.
  template <class T>
  [[nodiscard]] const T* leaf() const {
    const auto* l = std::get_if<tree_leaf>(&node_);
    return l ? std::get_if<T>(l) : nullptr;
  }

  friend bool operator==(const tree&, const tree&);

 private:
  node node_;
};

/// Paths of all leaves in order, for example "model/layers/0/weight"; "" for a tree that is one leaf. A '/'
/// or '\' inside a key has a '\' before it, so no two leaves of a tree have the same path.
std::vector<std::string> leaf_paths(const tree&);

/// Whether `pack` takes the tree: at most `limits::tree_depth_max` containers around a leaf, unique keys, and
/// arrays whose bytes fit their shape. Else invalid_argument with the path and the rule.
status check_packable(const tree&);

/// One self-describing run of bytes (lengths little-endian, leaves' bytes as they are; tree_format.hpp shows the
/// layout), and back. The tree must be packable (asserted). Each array's bytes start at a multiple of 64 from
/// the start. The array and bytes leaves of an unpacked tree share the packed bytes. `unpack` refuses anything
/// that `pack` would not have written with invalid_argument, the offset and the rule; lengths that the bytes
/// cannot hold are refused before anything is allocated for them.
payload pack(const tree&);
result<tree> unpack(const payload&);

namespace detail {
/// A dict's key as a part of a path.
std::string escaped_key(std::string_view key);
// Rules of a tree that travels, checked on both ways.
std::optional<std::string> repeated_key(const tree::dict&);
bool are_booleans(const array&);  // 0 or 1, if its dtype is boolean
}  // namespace detail

}  // namespace muster
