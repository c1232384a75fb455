#include <muster/messages/values/layouts/index_map.hpp>

#include <map>

namespace muster {
namespace {

/// How much one step along each mesh dimension adds to a shard's number: the number is linear in the coordinates.
std::vector<std::int64_t> weights(const layout& of, const std::vector<std::int64_t>& shard_counts) {
  std::vector<std::int64_t> out(of.mesh().dimensions().size(), 0);
  std::int64_t weight = 1;
  for (std::size_t i = of.rank(); i-- > 0;) {
    const auto& axes = std::get<mesh_axes>(of.spec()[i]);
    auto inner = weight;
    for (std::size_t a = axes.size(); a-- > 0;) {
      const auto d = of.mesh().find(axes[a]).value();
      out[d] = inner;
      inner *= of.mesh().dimensions()[d].size;
    }
    weight *= shard_counts[i];
  }
  return out;
}

std::vector<std::int64_t> shard_numbers(const mesh& over, const std::vector<std::int64_t>& weight) {
  std::vector<std::int64_t> out{0};
  for (std::size_t d = 0; d < weight.size(); ++d) {
    const auto size = over.dimensions()[d].size;
    std::vector<std::int64_t> next;
    next.reserve(out.size() * static_cast<std::size_t>(size));
    for (auto number : out)
      for (std::int64_t c = 0; c < size; ++c) next.push_back(number + c * weight[d]);
    out = std::move(next);
  }
  return out;
}

}  // namespace

result<index_map> index_map::of(const layout& l, const shape_vector& global) {
  if (l.mesh().empty()) return invalid_argument("no device of the empty mesh holds an array");
  auto counts = l.shard_counts();
  if (!counts) return counts.why();
  if (auto why = check_global_shape(l, global); !why.ok()) return why;
  index_map out;
  std::int64_t shards = 1;
  for (std::size_t i = 0; i < l.rank(); ++i) {
    auto& ranges = out.ranges_.emplace_back();
    for (std::int64_t s = 0; s < (*counts)[i]; ++s)
      ranges.push_back(shard_range(global[i], (*counts)[i], s));
    shards *= (*counts)[i];
  }
  out.shards_ = shard_numbers(l.mesh(), weights(l, *counts));
  out.owners_.resize(static_cast<std::size_t>(shards));
  out.choose_owners(l.mesh());
  return out;
}

array_slice index_map::slice_of_shard(std::int64_t number) const {
  ensure(number >= 0 && number < shard_count(), "a shard's number is below the number of shards");
  array_slice out(ranges_.size());
  for (std::size_t i = ranges_.size(); i-- > 0;) {
    const auto k = static_cast<std::int64_t>(ranges_[i].size());
    out[i] = ranges_[i][static_cast<std::size_t>(number % k)];
    number /= k;
  }
  return out;
}

void index_map::choose_owners(const mesh& over) {
  std::vector<std::vector<std::size_t>> replicas(owners_.size());
  for (std::size_t p = 0; p < shards_.size(); ++p)
    replicas[static_cast<std::size_t>(shards_[p])].push_back(p);
  std::map<rank, std::int64_t> answers_for;  // elements, by host
  for (std::size_t s = 0; s < owners_.size(); ++s) {
    std::int64_t* chosen = nullptr;
    for (auto p : replicas[s]) {
      auto& load = answers_for[over.devices()[p].host];
      if (chosen != nullptr && load >= *chosen) continue;
      chosen = &load;
      owners_[s] = p;
    }
    *chosen += element_count(slice_of_shard(static_cast<std::int64_t>(s)));
  }
}

}  // namespace muster
