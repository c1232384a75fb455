#include <algorithm>
#include <map>
#include <set>

#include <muster/messages/values/layouts/mesh.hpp>
#include <muster/messages/values/layouts/mesh_description.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {
namespace {

/// Coordinates [first, last) of each dimension.
struct box {
  mesh_coordinates first;
  mesh_coordinates last;
};

box whole(const mesh& of) {
  box out{mesh_coordinates(of.dimensions().size(), 0), {}};
  for (const auto& d : of.dimensions()) out.last.push_back(d.size);
  return out;
}

/// Positions of the devices inside, row-major.
std::vector<std::size_t> positions_in(const mesh& of, const box& inside) {
  std::vector<std::size_t> out{0};
  for (std::size_t i = 0; i < of.dimensions().size(); ++i) {
    std::vector<std::size_t> next;
    for (auto start : out)
      for (auto c = inside.first[i]; c < inside.last[i]; ++c)
        next.push_back(start * static_cast<std::size_t>(of.dimensions()[i].size) +
                       static_cast<std::size_t>(c));
    out = std::move(next);
  }
  return out;
}

mesh cut(const mesh& of, const box& inside, std::optional<std::size_t> without = {}) {
  std::vector<mesh_dimension> dimensions;
  for (std::size_t i = 0; i < of.dimensions().size(); ++i)
    if (i != without)
      dimensions.push_back({of.dimensions()[i].name, inside.last[i] - inside.first[i]});
  std::vector<mesh_device> devices;
  for (auto p : positions_in(of, inside)) devices.push_back(of.devices()[p]);
  return mesh::of(of.name(), of.kind(), std::move(dimensions), std::move(devices)).value();
}

/// Which dimensions are named; an unknown or repeated name is an error.
result<std::vector<bool>> marked(const mesh& of, std::span<const std::string> names) {
  std::vector<bool> out(of.dimensions().size(), false);
  for (const auto& name : names) {
    const auto at = of.find(name);
    if (!at) return no_such_dimension(of, name);
    if (out[*at]) return invalid_argument("mesh dimension " + in_quotes(name) + " is named twice");
    out[*at] = true;
  }
  return out;
}

}  // namespace

rank_group mesh::hosts() const {
  std::set<rank> out;
  for (const auto& d : devices()) out.insert(d.host);
  return rank_group::of({out.begin(), out.end()}).value();
}

std::vector<std::size_t> mesh::positions_of(rank host) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < size(); ++i)
    if (devices()[i].host == host) out.push_back(i);
  return out;
}

result<mesh> mesh::local_mesh(rank host) const {
  const auto mine = positions_of(host);
  if (mine.empty())
    return error(
        status_code::invalid_argument,
        "host " + to_string(host) + " has no device in the mesh with " + describe(dimensions()));
  box hull{coordinates_at(*this, mine.front()), coordinates_at(*this, mine.front())};
  for (auto p : mine) {
    const auto c = coordinates_at(*this, p);
    for (std::size_t i = 0; i < c.size(); ++i) {
      hull.first[i] = std::min(hull.first[i], c[i]);
      hull.last[i] = std::max(hull.last[i], c[i]);
    }
  }
  for (auto& last : hull.last) ++last;
  for (auto p : positions_in(*this, hull))
    if (devices()[p].host != host)
      return invalid_argument(
          "the devices of host " + to_string(host) +
          " are no box of the mesh: the smallest one around them also holds device " +
          std::to_string(devices()[p].index.value) + " of host " + to_string(devices()[p].host));
  return cut(*this, hull);
}

mesh mesh::host_mesh() const {
  if (kind() == device_kind::cpu || empty()) return *this;
  return of("", device_kind::cpu, description_->dimensions, description_->devices).value();
}

result<mesh> mesh::slice(std::span<const mesh_range> ranges) const {
  auto inside = whole(*this);
  std::vector<std::string> names;
  for (const auto& r : ranges) names.emplace_back(r.dimension);
  if (auto known = marked(*this, names); !known) return known.why();
  for (const auto& r : ranges) {
    const auto i = find(r.dimension).value();
    if (r.first < 0 || r.first >= r.last || r.last > dimensions()[i].size)
      return invalid_argument("range [" + std::to_string(r.first) + ", " + std::to_string(r.last) +
                              ") of " + in_quotes(r.dimension) + " must lie in [0, " +
                              std::to_string(dimensions()[i].size) + ") and not be empty");
    inside.first[i] = r.first;
    inside.last[i] = r.last;
  }
  return cut(*this, inside);
}

result<mesh> mesh::at(std::string_view dimension, std::int64_t coordinate) const {
  const auto i = find(dimension);
  if (!i) return no_such_dimension(*this, dimension);
  if (coordinate < 0 || coordinate >= dimensions()[*i].size)
    return invalid_argument("coordinate " + std::to_string(coordinate) + " along " +
                            in_quotes(dimension) + ": it must be 0 to " +
                            std::to_string(dimensions()[*i].size - 1));
  if (dimensions().size() == 1)
    return invalid_argument(in_quotes(dimension) +
                            " is the mesh's only dimension: a mesh has at least one, " +
                            "take a slice of it");
  auto inside = whole(*this);
  inside.first[*i] = coordinate;
  inside.last[*i] = coordinate + 1;
  return cut(*this, inside, *i);
}

result<mesh> mesh::reduced_to(std::span<const std::string> names) const {
  auto kept = marked(*this, names);
  if (!kept) return kept.why();
  auto inside = whole(*this);
  for (std::size_t i = 0; i < kept->size(); ++i)
    if (!(*kept)[i]) inside.last[i] = 1;
  return empty() ? *this : cut(*this, inside);
}

device_group mesh::group() const {
  std::vector<device_index> all;
  for (const auto& d : devices()) all.push_back(d.index);
  return device_group::of(std::move(all)).value();
}

result<std::vector<device_group>> mesh::groups_along(std::span<const std::string> names) const {
  auto along = marked(*this, names);
  if (!along) return along.why();
  std::map<mesh_coordinates, std::vector<device_index>> groups;  // by the other coordinates
  for (std::size_t p = 0; p < size(); ++p) {
    auto key = coordinates_at(*this, p);
    for (std::size_t i = 0; i < key.size(); ++i)
      if ((*along)[i]) key[i] = 0;
    groups[std::move(key)].push_back(devices()[p].index);
  }
  std::vector<device_group> out;
  for (auto& [key, members] : groups) out.push_back(device_group::of(std::move(members)).value());
  return out;
}

}  // namespace muster
