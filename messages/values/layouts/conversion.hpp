// Between host-local and global arrays: the shape rules, the rules under batching and transposition, and specs for
// whole trees. Plain functions, without data; any thread. Source of the semantics: JAX's multihost_utils, with the
// rows where it is wrong made right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <muster/messages/values/array.hpp>
#include <muster/messages/values/layouts/mesh.hpp>
#include <muster/messages/values/layouts/partition_spec.hpp>
#include <muster/messages/values/status.hpp>
#include <muster/messages/values/tree.hpp>

namespace muster {

/// Per sharded dimension local / (its mesh dimensions' sizes in the host's local mesh) * (their sizes in the whole
/// mesh). invalid_argument when the host's devices are no box of the mesh, when the spec is longer than the shape or
/// names an unknown dimension or match, and when a dimension does not divide (never padded, unlike layouts).
result<shape_vector> global_shape_of_host_local(const shape_vector& local, const mesh&, rank host,
                                                const partition_spec&);
/// The inverse, with the same errors.
result<shape_vector> host_local_shape_of_global(const shape_vector& global, const mesh&, rank host,
                                                const partition_spec&);

/// The spec under batching: an entry for the batch dimension inserted at `dimension` of the batched array, sharded over
/// `axis` or unsharded. A spec shorter than that is padded first, so the entry lands where it says. invalid_argument
/// when `axis` is used already. The same for both directions.
result<partition_spec> batched(const partition_spec&, std::size_t dimension,
                               std::optional<std::string_view> axis = {});

/// A conversion and the one that its cotangent goes through: itself, with the same spec, for it is linear and moves
/// no value to another element. (Not the inverse.)
enum class conversion : std::uint8_t { host_local_to_global, global_to_host_local };
conversion transposed(conversion);

/// Specs for a tree of arrays: a spec at any place stands for every leaf below it (a tree prefix). Dicts match by
/// key, in any order; lists and tuples by position.
struct spec_tree {
  struct dict {
    std::vector<std::pair<std::string, spec_tree>> entries;
  };
  struct list {
    std::vector<spec_tree> items;
  };
  struct tuple {
    std::vector<spec_tree> items;
  };
  using any_node = std::variant<partition_spec, dict, list, tuple>;

  spec_tree() {}  // NOLINT: a default would need dict complete, in a dict
  spec_tree(any_node n) : node(std::move(n)) {}  // NOLINT: every node is a tree of specs

  any_node node;
};

/// One spec per leaf of the tree, in the order of leaf_paths. invalid_argument with the path where the two differ: a
/// key on one side only, another length, a container of another kind, specs below a leaf.
result<std::vector<partition_spec>> specs_of_leaves(const spec_tree&, const tree&);

}  // namespace muster
