#include <muster/messages/values/layouts/layout.hpp>

#include <algorithm>

#include <muster/messages/values/ensure.hpp>
#include <muster/messages/values/layouts/mesh_description.hpp>
#include <muster/messages/values/layouts/text_cursor.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

/// Every dimension below `rank` and none twice.
status check_dimensions(std::span<const std::size_t> dimensions, const layout& of) {
  std::vector<bool> met(of.rank(), false);
  for (auto d : dimensions) {
    if (d >= of.rank())
      return invalid_argument("dimension " + std::to_string(d) + " of " + to_string(of.spec()) +
                              ": it must be below " + std::to_string(of.rank()));
    if (met[d]) return invalid_argument("dimension " + std::to_string(d) + " is named twice");
    met[d] = true;
  }
  return {};
}

result<layout> one_axis(mesh over, std::string_view dimension, std::size_t size, bool first) {
  if (size == 0)
    return invalid_argument("an array of rank 0 has no dimension that " + in_quotes(dimension) +
                            " could shard");
  if (size > limits::array_rank_max)
    return invalid_argument("rank " + std::to_string(size) + ": at most " +
                            std::to_string(limits::array_rank_max) + " is allowed");
  std::vector<dimension_sharding> entries(size, mesh_axes{});
  (first ? entries.front() : entries.back()) = mesh_axes{std::string(dimension)};
  auto spec = partition_spec::of(std::move(entries));
  if (!spec) return spec.why();
  return layout::of(std::move(*spec), std::move(over));
}

/// These entries over the same mesh.
result<layout> changed(const layout& from, std::vector<dimension_sharding> entries) {
  auto spec = partition_spec::of(std::move(entries));
  if (!spec) return spec.why();
  return layout::of(std::move(*spec), from.mesh());
}

std::vector<dimension_sharding> entries_of(const layout& l) {
  return {l.spec().entries().begin(), l.spec().entries().end()};
}

}  // namespace

result<layout> layout::of(partition_spec spec, muster::mesh over) {
  for (const auto& axis : spec.axes())
    if (!over.find(axis)) return no_such_dimension(over, axis);
  return layout(std::move(spec), std::move(over));
}

layout layout::replicated(muster::mesh over, std::size_t dimensions) {
  ensure(dimensions <= limits::array_rank_max, "an array has at most array_rank_max dimensions");
  return {partition_spec::unsharded(dimensions), std::move(over)};
}

result<layout> layout::batch_sharded(muster::mesh over, std::string_view dimension,
                                     std::size_t dimensions) {
  return one_axis(std::move(over), dimension, dimensions, true);
}

result<layout> layout::inner_sharded(muster::mesh over, std::string_view dimension,
                                     std::size_t dimensions) {
  return one_axis(std::move(over), dimension, dimensions, false);
}

result<layout> layout::without(std::span<const std::size_t> dimensions) const {
  return with_reduced(dimensions, false);
}

result<layout> layout::with_reduced(std::span<const std::size_t> dimensions, bool keep) const {
  if (auto why = check_dimensions(dimensions, *this); !why.ok()) return why;
  std::vector<dimension_sharding> entries;
  for (std::size_t i = 0; i < rank(); ++i) {
    const bool named = std::ranges::find(dimensions, i) != dimensions.end();
    if (!named) entries.push_back(spec_[i]);
    if (named && keep) entries.push_back(mesh_axes{});
  }
  return changed(*this, std::move(entries));
}

result<layout> layout::transposed(std::span<const std::size_t> permutation) const {
  if (auto why = check_dimensions(permutation, *this); !why.ok()) return why;
  if (permutation.size() != rank())
    return invalid_argument("a permutation of " + std::to_string(permutation.size()) +
                            " dimensions for " + to_string(spec_));
  std::vector<dimension_sharding> entries;
  for (auto d : permutation) entries.push_back(spec_[d]);
  return changed(*this, std::move(entries));
}

result<layout> layout::transposed_2d() const {
  if (rank() < 2)
    return invalid_argument(to_string(spec_) + " has rank " + std::to_string(rank()) +
                            ": at least 2 dimensions can be transposed");
  auto entries = entries_of(*this);
  std::swap(entries[rank() - 2], entries[rank() - 1]);
  return changed(*this, std::move(entries));
}

result<layout> layout::truncated(std::size_t first, std::size_t last) const {
  if (first > last || last > rank())
    return invalid_argument("dimensions [" + std::to_string(first) + ", " + std::to_string(last) +
                            ") of " + to_string(spec_) + " must lie in [0, " +
                            std::to_string(rank()) + ")");
  auto entries = entries_of(*this);
  return changed(*this, {entries.begin() + static_cast<std::ptrdiff_t>(first),
                         entries.begin() + static_cast<std::ptrdiff_t>(last)});
}

result<layout> layout::left_padded(std::size_t dimensions) const {
  if (dimensions < rank() || dimensions > limits::array_rank_max)
    return invalid_argument(to_string(spec_) + " padded to rank " + std::to_string(dimensions) +
                            ": it must be " + std::to_string(rank()) + " to " +
                            std::to_string(limits::array_rank_max));
  std::vector<dimension_sharding> entries(dimensions - rank(), mesh_axes{});
  entries.insert(entries.end(), spec_.entries().begin(), spec_.entries().end());
  return changed(*this, std::move(entries));
}

result<layout> layout::concatenated(const layout& other) const {
  if (mesh_ != other.mesh_)
    return invalid_argument(
        "layouts over two meshes can't be concatenated: " + text_cursor::clipped(to_string(mesh_)) +
        " and " + text_cursor::clipped(to_string(other.mesh_)));
  auto entries = entries_of(*this);
  entries.insert(entries.end(), other.spec_.entries().begin(), other.spec_.entries().end());
  return changed(*this, std::move(entries));
}

layout layout::on_reduced_mesh() const { return {spec_, mesh_.reduced_to(spec_.axes()).value()}; }

layout layout::on_host_mesh() const { return {spec_, mesh_.host_mesh()}; }

result<layout> layout::resolved(const partition_spec& wanted) const {
  if (wanted.size() != rank())
    return invalid_argument(to_string(wanted) + " for an array that lies as " + to_string(spec_) +
                            ": both must have the same rank");
  std::vector<dimension_sharding> entries;
  for (std::size_t i = 0; i < rank(); ++i)
    entries.push_back(std::holds_alternative<match_sharding>(wanted[i]) ? spec_[i] : wanted[i]);
  return changed(*this, std::move(entries));
}

bool equivalent(const layout& a, const layout& b) {
  if (a.mesh() != b.mesh() || a.rank() != b.rank()) return false;
  for (std::size_t i = 0; i < a.rank(); ++i)
    if (a.spec()[i] != b.spec()[i] && (a.shard_count(i) != 1 || b.shard_count(i) != 1))
      return false;
  return true;
}

std::string to_string(const layout& l) {
  return to_string(l.spec()) + " on " + to_string(l.mesh());
}

result<layout> parse_layout(std::string_view text) {
  constexpr std::string_view between = " on ";
  const auto at = text.find(between);
  if (at == std::string_view::npos)
    return invalid_argument(
        text_cursor::clipped(text) +
        " is not a layout ([x,unsharded] on name|x=2|cpu|0:0-1): it has no ' on '");
  auto spec = parse_partition_spec(text.substr(0, at));
  if (!spec) return spec.why();
  auto over = parse_mesh(text.substr(at + between.size()));
  if (!over) return over.why();
  return layout::of(std::move(*spec), std::move(*over));
}

}  // namespace muster
