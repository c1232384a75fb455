#include <muster/messages/values/layouts/conversion.hpp>

#include <algorithm>

#include <muster/messages/values/layouts/layout.hpp>
#include <muster/messages/values/layouts/mesh_description.hpp>
#include <muster/messages/values/layouts/text_cursor.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {
namespace {

/// How many shards each dimension has within the host's part of the mesh, and in the whole mesh.
struct shard_counts_of_host {
  std::vector<std::int64_t> local;
  std::vector<std::int64_t> global;
};

result<shard_counts_of_host> counts_of(const shape_vector& shape, const mesh& over, rank host,
                                       const partition_spec& spec) {
  auto padded = spec.padded(shape.size());
  if (!padded) return padded.why();
  auto whole = layout::of(std::move(*padded), over);
  if (!whole) return whole.why();
  if (auto why = check_global_shape(*whole, shape); !why.ok()) return why;
  auto part = over.local_mesh(host);
  if (!part) return part.why();
  auto global = whole->shard_counts();
  if (!global) return global.why();
  auto local = layout::of(whole->spec(), std::move(*part)).value().shard_counts();
  return shard_counts_of_host{std::move(*local), std::move(*global)};
}

/// Each size divided by one count and multiplied by the other.
result<shape_vector> scaled(const shape_vector& shape, const partition_spec& spec, rank host,
                            const std::vector<std::int64_t>& divide,
                            const std::vector<std::int64_t>& multiply) {
  shape_vector out = shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] % divide[i] != 0)
      return invalid_argument("dimension " + std::to_string(i) + " of shape " + to_string(shape) +
                              " at host " + to_string(host) + " has size " +
                              std::to_string(shape[i]) + ": " + to_string(spec) + " cuts it into " +
                              std::to_string(divide[i]) + ", which must divide it");
    if (__builtin_mul_overflow(shape[i] / divide[i], multiply[i], &out[i])) out[i] = -1;
  }
  if (!checked_element_count(out) || std::ranges::find(out, -1) != out.end())
    return invalid_argument("shape " + to_string(shape) + " in " + to_string(multiply) +
                            " shards: the array's size must fit 63 bits");
  return out;
}

/// Walks a tree of specs beside a tree.
class spec_walk {
 public:
  status walk(const spec_tree& specs, const tree& t, const std::string& path) {
    if (const auto* spec = std::get_if<partition_spec>(&specs.node)) return take_all(*spec, t);
    if (const auto* d = std::get_if<spec_tree::dict>(&specs.node)) return walk_dict(*d, t, path);
    if (const auto* l = std::get_if<spec_tree::list>(&specs.node))
      return walk_items(l->items, std::get_if<tree::list>(&t.get()), "a list", path);
    return walk_items(std::get<spec_tree::tuple>(specs.node).items,
                      std::get_if<tree::tuple>(&t.get()), "a tuple", path);
  }
  std::vector<partition_spec> found;

 private:
  status take_all(const partition_spec& spec, const tree& t) {
    found.insert(found.end(), leaf_paths(t).size(), spec);
    return {};
  }

  status walk_dict(const spec_tree::dict& specs, const tree& t, const std::string& path) {
    const auto* dict = std::get_if<tree::dict>(&t.get());
    if (!dict) return differs(path, "the specs have a dict there and the tree has not");
    for (const auto& [key, spec] : specs.entries)
      if (!t.find(key)) return differs(path, "the tree has no key " + in_quotes(key));
    for (const auto& [key, child] : dict->entries) {
      const auto spec = std::ranges::find(specs.entries, key, [](auto& e) { return e.first; });
      if (spec == specs.entries.end())
        return differs(path, "the specs have no key " + in_quotes(key));
      if (auto why = walk(spec->second, child, path + "/" + detail::escaped_key(key)); !why.ok())
        return why;
    }
    if (dict->entries.size() != specs.entries.size())
      return differs(path, "the specs have a key twice");
    return {};
  }

  template <class Items>
  status walk_items(const std::vector<spec_tree>& specs, const Items* there, const char* kind,
                    const std::string& path) {
    if (!there)
      return differs(path, std::string("the specs have ") + kind + " there and the tree has not");
    if (there->items.size() != specs.size())
      return differs(path, std::to_string(specs.size()) + " specs for " +
                               std::to_string(there->items.size()) + " items");
    for (std::size_t i = 0; i < specs.size(); ++i)
      if (auto why = walk(specs[i], there->items[i], path + "/" + std::to_string(i)); !why.ok())
        return why;
    return {};
  }

  static status differs(const std::string& path, const std::string& how) {
    return invalid_argument("specs do not fit the tree at '" + path.substr(path.empty() ? 0 : 1) +
                            "': " + how);
  }
};

}  // namespace

result<shape_vector> global_shape_of_host_local(const shape_vector& local, const mesh& over,
                                                rank host, const partition_spec& spec) {
  const auto counts = counts_of(local, over, host, spec);
  if (!counts) return counts.why();
  return scaled(local, spec, host, counts->local, counts->global);
}

result<shape_vector> host_local_shape_of_global(const shape_vector& global, const mesh& over,
                                                rank host, const partition_spec& spec) {
  const auto counts = counts_of(global, over, host, spec);
  if (!counts) return counts.why();
  return scaled(global, spec, host, counts->global, counts->local);
}

result<partition_spec> batched(const partition_spec& spec, std::size_t dimension,
                               std::optional<std::string_view> axis) {
  std::vector<dimension_sharding> entries(spec.entries().begin(), spec.entries().end());
  if (dimension > limits::array_rank_max)
    return invalid_argument("batch dimension " + std::to_string(dimension) + ": it must be below " +
                            std::to_string(limits::array_rank_max));
  if (entries.size() < dimension) entries.resize(dimension, mesh_axes{});
  entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(dimension),
                 axis ? mesh_axes{std::string(*axis)} : mesh_axes{});
  return partition_spec::of(std::move(entries));
}

conversion transposed(conversion of) { return of; }

result<std::vector<partition_spec>> specs_of_leaves(const spec_tree& specs, const tree& t) {
  spec_walk walk;
  if (auto why = walk.walk(specs, t, ""); !why.ok()) return why;
  return std::move(walk.found);
}

}  // namespace muster
