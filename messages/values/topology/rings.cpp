#include <muster/messages/values/topology/rings.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

std::string shown(const core_bounds& b) {
  return "(" + std::to_string(b[0]) + ", " + std::to_string(b[1]) + ", " + std::to_string(b[2]) +
         ", " + std::to_string(b[3]) + ")";
}

/// 0 where a size is below 1, and no more than one above what a mesh may have: no product of sizes overflows.
std::int64_t volume(const core_bounds& b) {
  if (*std::ranges::min_element(b) < 1) return 0;
  std::int64_t out = 1;
  for (auto n : b) out = std::min<std::int64_t>(out * n, limits::mesh_devices_max + 1);
  return out;
}

/// Numbers the coordinates that occur, so that gaps between them don't count.
class dense {
 public:
  template <class Cells, class Coordinate>
  dense(const Cells& cells, Coordinate coordinate) {
    for (const auto& c : cells) numbers_[coordinate(c)] = 0;
    int next = 0;
    for (auto& [value, number] : numbers_) number = next++;
  }
  int operator[](std::int32_t value) const { return numbers_.at(value); }
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

 private:
  std::map<std::int32_t, int> numbers_;
};

/// What a ring is sorted by: way home, plane, way home in the plane, row, column, core.
using ring_key = std::array<std::int32_t, 6>;

struct cell {
  int column, row, plane;
  std::int32_t core;
};

/// Of a cell in a plane that is walked as in the picture.
std::array<std::int32_t, 4> key_in_plane(const cell& c) {
  if (c.column == 0 && c.row > 0) return {1, -c.row, 0, c.core};
  return {0, c.row, c.row % 2 == 0 ? c.column : -c.column, c.core};
}

ring_key key_of(const cell& c, bool several_planes) {
  if (several_planes && c.column == 0 && c.row == 0) return {1, -c.plane, 0, 0, 0, c.core};
  auto [home, row, column, core] = key_in_plane(c);
  if (c.plane % 2 == 1) home = -home, row = -row, column = -column, core = ~core;
  return {0, c.plane, home, row, column, core};
}

core_bounds host_bounds_of(const core_bounds& box, bool split_hosts) {
  if (split_hosts) return {1, 1, 1, 1};
  if (volume(box) <= 2) return {1, 1, 1, box[3]};
  return {2, 2, 1, box[3]};
}

status check_enumeration(const core_bounds& box, const core_bounds& ring, const core_bounds& host,
                         const core_axes& axes, std::size_t ring_size) {
  for (const auto& bounds : {box, ring})
    if (*std::ranges::min_element(bounds) < 1)
      return invalid_argument("bounds " + shown(bounds) + ": each must be at least 1");
  if (volume(box) > static_cast<std::int64_t>(limits::mesh_devices_max))
    return invalid_argument("bounds " + shown(box) + " have more than " +
                            std::to_string(limits::mesh_devices_max) + " cores");
  if (box[3] > 2) return invalid_argument("bounds " + shown(box) + ": a cell has 1 or 2 cores");
  if (std::set<core_axis>(axes.begin(), axes.end()).size() != axes.size())
    return invalid_argument("ring axes must name x, y, z and core once each");
  if (ring_size < static_cast<std::size_t>(volume(host)))
    return invalid_argument("a ring of " + std::to_string(ring_size) +
                            " cores is smaller than a host of " + std::to_string(volume(host)) +
                            ": split hosts across rings, or make rings larger");
  for (std::size_t a = 0; a < 4; ++a) {
    if (ring[a] % host[a] != 0)
      return invalid_argument("ring bounds " + shown(ring) + " must be multiples of the host's " +
                              shown(host) + " along every axis");
    if (ring[a] > box[a] || box[a] % ring[a] != 0)
      return invalid_argument("ring bounds " + shown(ring) + " must divide the topology's " +
                              shown(box) + " along every axis");
  }
  return {};
}

}  // namespace

std::string to_string(const core_location& c) { return shown({c.x, c.y, c.z, c.core}); }

std::vector<std::size_t> ring_order(std::span<const core_location> cells, bool rotate) {
  const dense x(cells, [](const auto& c) { return c.x; });
  const dense y(cells, [](const auto& c) { return c.y; });
  const dense z(cells, [](const auto& c) { return c.z; });
  std::vector<ring_key> keys;
  for (const auto& c : cells)
    keys.push_back(
        key_of(rotate ? cell{y[c.y], x[c.x], z[c.z], c.core} : cell{x[c.x], y[c.y], z[c.z], c.core},
               z.size() > 1));
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](auto i) { return keys[i]; });
  return order;
}

result<std::vector<core_location>> orthogonal_rings(std::span<const core_location> cells,
                                                    std::size_t ring_size, bool rotate_across) {
  if (ring_size == 0 || cells.size() % ring_size != 0)
    return invalid_argument("rings of " + std::to_string(ring_size) + " from " +
                            std::to_string(cells.size()) +
                            " cores: the size must divide their number");
  if (cells.empty()) return std::vector<core_location>{};
  const auto inside = ring_order(cells.first(ring_size));
  std::vector<core_location> heads;
  for (std::size_t r = 0; r < cells.size(); r += ring_size) heads.push_back(cells[r + inside[0]]);
  std::vector<core_location> out;
  for (auto ring : ring_order(heads, rotate_across))
    for (auto i : inside) out.push_back(cells[ring * ring_size + i]);
  return out;
}

result<std::vector<core_location>> enumerate_cores(const core_bounds& box,
                                                   const core_bounds& ring_bounds,
                                                   const core_axes& axes, bool split_hosts,
                                                   std::size_t ring_size) {
  const auto host = host_bounds_of(box, split_hosts);
  if (auto why = check_enumeration(box, ring_bounds, host, axes, ring_size); !why.ok()) return why;
  // Twelve digits, fastest first: cores in a host, hosts in a ring, rings, each along the four axes.
  struct digit {
    std::size_t axis;
    std::int32_t count, step;
  };
  std::vector<digit> digits;
  for (auto axis : axes)
    digits.push_back({static_cast<std::size_t>(axis), host[static_cast<std::size_t>(axis)], 1});
  for (auto axis : axes) {
    const auto a = static_cast<std::size_t>(axis);
    digits.push_back({a, ring_bounds[a] / host[a], host[a]});
  }
  for (auto axis : axes) {
    const auto a = static_cast<std::size_t>(axis);
    digits.push_back({a, box[a] / ring_bounds[a], ring_bounds[a]});
  }
  std::vector<core_location> out;
  for (std::int64_t n = 0; n < volume(box); ++n) {
    core_bounds at{};
    auto rest = n;
    for (const auto& d : digits) {
      at[d.axis] += static_cast<std::int32_t>(rest % d.count) * d.step;
      rest /= d.count;
    }
    out.push_back({at[0], at[1], at[2], at[3]});
  }
  return out;
}

result<std::vector<core_location>> ring_mesh_order(std::span<const mesh_dimension> mesh,
                                                   const core_bounds& topology,
                                                   const ring_mesh_options& options) {
  const auto mesh_rank = static_cast<std::int32_t>(mesh.size());
  if (mesh_rank == 0) return invalid_argument("a mesh has at least one dimension");
  const auto dimensions = options.ring_dimensions.value_or(1 - mesh_rank);
  if (dimensions < -mesh_rank || dimensions > mesh_rank)
    return invalid_argument("rings over " + std::to_string(dimensions) +
                            " dimensions of a mesh of " + std::to_string(mesh_rank) +
                            ": it must be " + std::to_string(-mesh_rank) + " to " +
                            std::to_string(mesh_rank));
  std::int64_t size = 1, ring_size = 1;
  for (std::int32_t d = 0; d < mesh_rank; ++d) {
    const auto n = mesh[static_cast<std::size_t>(d)].size;
    if (n < 1 || n > static_cast<std::int64_t>(limits::mesh_devices_max))
      return invalid_argument("mesh dimension " + std::to_string(d) + " has size " +
                              std::to_string(n));
    const auto most = static_cast<std::int64_t>(limits::mesh_devices_max) + 1;
    size = std::min(size * n, most);
    const bool in_ring = dimensions > 0 ? d < dimensions : d >= mesh_rank + dimensions;
    if (in_ring) ring_size = std::min(ring_size * n, most);
  }
  if (size != volume(topology))
    return invalid_argument("a mesh of " + std::to_string(size) + " devices for a topology " +
                            shown(topology) + " of " + std::to_string(volume(topology)) +
                            " cores: there must be one for each");
  const auto ring = static_cast<std::size_t>(ring_size);
  auto cores = enumerate_cores(topology, options.ring_bounds.value_or(topology), options.axes,
                               options.split_hosts, ring);
  if (!cores) return cores.why();
  if (options.ring_across_rings) {
    cores = orthogonal_rings(*cores, ring, options.rotate_across_rings);
    if (!cores) return cores.why();
  } else {
    const auto inside = ring_order(std::span(*cores).first(ring));
    const auto before = *cores;
    for (std::size_t i = 0; i < before.size(); ++i)
      (*cores)[i] = before[i / ring * ring + inside[i % ring]];
  }
  if (dimensions <= 0) return cores;
  // Rings run along the first dimensions: the ring's number is what moves fastest.
  const auto rings = cores->size() / ring;
  std::vector<core_location> out(cores->size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i % ring * rings + i / ring] = (*cores)[i];
  return out;
}

}  // namespace muster
