#include <algorithm>
#include <numeric>
#include <set>

#include <muster/messages/values/layouts/layout.hpp>
#include <muster/messages/values/layouts/mesh_description.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {
namespace {

std::int64_t shards_over(const mesh_axes& axes, const mesh& over) {
  std::int64_t out = 1;
  for (const auto& a : axes) out *= over.dimensions()[over.find(a).value()].size;
  return out;
}

/// Counts that a mesh can have, and shards within them.
bool well_formed(const shard_vector& of) {
  const auto& counts = of.shard_counts;
  const auto inside = [&](const shard_coordinates& shard) {
    return std::ranges::equal(shard, counts, [](auto i, auto k) { return i >= 0 && i < k; });
  };
  constexpr auto most = static_cast<std::int64_t>(limits::mesh_devices_max);
  return std::ranges::all_of(counts, [](auto k) { return k >= 1 && k <= most; }) &&
         std::ranges::all_of(of.shards, inside);
}

/// The pieces that a dimension of both cuts has: boundaries of either, in units of the least common multiple.
std::vector<std::int64_t> boundaries(std::int64_t a, std::int64_t b) {
  const auto common = std::lcm(a, b);
  std::set<std::int64_t> out;
  for (std::int64_t i = 0; i <= a; ++i) out.insert(i * (common / a));
  for (std::int64_t i = 0; i <= b; ++i) out.insert(i * (common / b));
  return {out.begin(), out.end()};
}

/// What a shard vector holds, in those pieces.
std::set<shard_coordinates> pieces(const shard_vector& of,
                                   const std::vector<std::vector<std::int64_t>>& bounds) {
  std::set<shard_coordinates> out;
  for (const auto& shard : of.shards) {
    std::vector<shard_coordinates> held{{}};
    for (std::size_t d = 0; d < shard.size(); ++d) {
      const auto unit = bounds[d].back() / of.shard_counts[d];
      std::vector<shard_coordinates> next;
      const auto first = std::ranges::lower_bound(bounds[d], shard[d] * unit);
      const auto last = std::ranges::lower_bound(bounds[d], (shard[d] + 1) * unit);
      for (auto start = first; start != last; ++start)
        for (auto piece : held) {
          piece.push_back(*start);
          next.push_back(std::move(piece));
        }
      held = std::move(next);
    }
    out.insert(held.begin(), held.end());
  }
  return out;
}

}  // namespace

std::string to_string(const array_slice& slice) {
  std::string out = "[";
  for (const auto& r : slice)
    out += (out.size() > 1 ? ", " : "") + std::to_string(r.first) + ":" + std::to_string(r.last);
  return out + "]";
}

std::int64_t element_count(const array_slice& slice) {
  std::int64_t out = 1;
  for (const auto& r : slice) out *= r.size();
  return out;
}

index_range shard_range(std::int64_t n, std::int64_t k, std::int64_t i) {
  ensure(k >= 1 && i >= 0 && i < k && n >= 0, "a shard of a dimension: k >= 1, 0 <= i < k, n >= 0");
  const auto c = n / k + (n % k != 0);
  // c * (k - 1) may pass n by less than k, and n may be the largest number.
  const auto start = c != 0 && i > n / c ? n : i * c;
  return {start, n - start > c ? start + c : n};
}

status check_global_shape(const layout& l, const shape_vector& global) {
  if (global.size() != l.rank())
    return invalid_argument("shape " + to_string(global) + " for " + to_string(l.spec()) +
                            ": both must have the same rank");
  if (!checked_element_count(global))
    return invalid_argument("shape " + to_string(global) +
                            ": no size may be negative, and their product must fit 63 bits");
  return {};
}

std::optional<std::int64_t> layout::shard_count(std::size_t i) const {
  const auto* axes = std::get_if<mesh_axes>(&spec_[i]);
  if (!axes) return {};
  return shards_over(*axes, mesh_);
}

result<std::vector<std::int64_t>> layout::shard_counts() const {
  if (spec_.has_match())
    return invalid_argument(to_string(spec_) +
                            " has match: it says how to keep a layout, and is none itself");
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < rank(); ++i) out.push_back(*shard_count(i));
  return out;
}

bool layout::is_fully_replicated() const {
  for (std::size_t i = 0; i < rank(); ++i)
    if (shard_count(i) != 1) return false;
  return true;
}

result<shard_coordinates> layout::shard_of(std::size_t position) const {
  ensure(position < mesh_.size(), "a mesh position is below the mesh's size");
  if (auto counts = shard_counts(); !counts) return counts.why();
  const auto at = coordinates_at(mesh_, position);
  shard_coordinates out;
  for (const auto& entry : spec_.entries()) {
    std::int64_t shard = 0;
    for (const auto& axis : std::get<mesh_axes>(entry)) {
      const auto d = mesh_.find(axis).value();
      shard = shard * mesh_.dimensions()[d].size + at[d];
    }
    out.push_back(shard);
  }
  return out;
}

result<std::int64_t> layout::shard_number(std::span<const std::int64_t> shard) const {
  auto counts = shard_counts();
  if (!counts) return counts.why();
  const shape_vector given(shard.begin(), shard.end());
  std::int64_t out = 0;
  bool inside = shard.size() == rank();
  for (std::size_t i = 0; inside && i < rank(); ++i) {
    inside = shard[i] >= 0 && shard[i] < (*counts)[i];
    out = out * (*counts)[i] + shard[i];
  }
  if (!inside)
    return invalid_argument("shard " + to_string(given) + " of " + to_string(spec_) +
                            ": there are " + to_string(*counts) + " shards");
  return out;
}

result<std::vector<shard_coordinates>> layout::shards_of(muster::rank host) const {
  std::set<shard_coordinates> out;
  for (auto p : mesh_.positions_of(host)) {
    auto shard = shard_of(p);
    if (!shard) return shard.why();
    out.insert(std::move(*shard));
  }
  return std::vector(out.begin(), out.end());
}

result<array_slice> layout::slice_of(std::size_t position, const shape_vector& global) const {
  if (auto why = check_global_shape(*this, global); !why.ok()) return why;
  const auto shard = shard_of(position);
  if (!shard) return shard.why();
  array_slice out;
  for (std::size_t i = 0; i < rank(); ++i)
    out.push_back(shard_range(global[i], *shard_count(i), (*shard)[i]));
  return out;
}

result<shape_vector> layout::local_shape(std::size_t position, const shape_vector& global) const {
  const auto slice = slice_of(position, global);
  if (!slice) return slice.why();
  shape_vector out;
  for (const auto& r : *slice) out.push_back(r.size());
  return out;
}

result<shape_vector> layout::even_local_shape(const shape_vector& global) const {
  if (auto why = check_global_shape(*this, global); !why.ok()) return why;
  auto counts = shard_counts();
  if (!counts) return counts.why();
  shape_vector out;
  for (std::size_t i = 0; i < rank(); ++i) {
    if (global[i] % (*counts)[i] != 0)
      return invalid_argument("dimension " + std::to_string(i) + " of shape " + to_string(global) +
                              " has size " + std::to_string(global[i]) + ", which its " +
                              std::to_string((*counts)[i]) +
                              " shards do not divide: the shards differ");
    out.push_back(global[i] / (*counts)[i]);
  }
  return out;
}

result<shape_vector> layout::global_shape(const shape_vector& local) const {
  if (auto why = check_global_shape(*this, local); !why.ok()) return why;
  auto counts = shard_counts();
  if (!counts) return counts.why();
  shape_vector out = local;
  for (std::size_t i = 0; i < rank(); ++i)
    if (__builtin_mul_overflow(local[i], (*counts)[i], &out[i])) out[i] = -1;
  if (auto why = check_global_shape(*this, out); !why.ok())
    return invalid_argument("local shape " + to_string(local) + " in " + to_string(*counts) +
                            " shards: the array's size must fit 63 bits");
  return out;
}

result<shard_vector> shards(const layout& l) {
  auto counts = l.shard_counts();
  if (!counts) return counts.why();
  std::set<shard_coordinates> held;
  for (std::size_t p = 0; p < l.mesh().size(); ++p) held.insert(l.shard_of(p).value());
  return shard_vector{{held.begin(), held.end()}, std::move(*counts)};
}

bool same_cut(const shard_vector& a, const shard_vector& b) {
  if (!well_formed(a) || !well_formed(b)) return false;
  if (a.shard_counts.size() != b.shard_counts.size()) return false;
  std::vector<std::vector<std::int64_t>> bounds;
  for (std::size_t d = 0; d < a.shard_counts.size(); ++d)
    bounds.push_back(boundaries(a.shard_counts[d], b.shard_counts[d]));
  return pieces(a, bounds) == pieces(b, bounds);
}

}  // namespace muster
