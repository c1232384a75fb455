// Meshes for tests: by hand, and as RapidCheck picks them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <muster/messages/values/layouts/layout.hpp>
#include <muster/messages/values/layouts/mesh.hpp>
#include <muster/tests/seeds/picks.hpp>

namespace muster::testing {

/// Devices 0 to n - 1, the same number on each host.
inline std::vector<mesh_device> devices_on(std::uint32_t hosts, std::uint32_t each) {
  std::vector<mesh_device> out;
  for (std::uint32_t d = 0; d < hosts * each; ++d) out.push_back({device_index{d}, rank{d / each}});
  return out;
}

/// On `hosts` hosts with as many devices each as it takes.
inline mesh make_mesh(std::vector<mesh_dimension> dimensions, std::uint32_t hosts = 1) {
  std::uint32_t size = 1;
  for (const auto& d : dimensions) size *= static_cast<std::uint32_t>(d.size);
  return mesh::of("", device_kind::cpu, std::move(dimensions), devices_on(hosts, size / hosts))
      .value();
}

inline layout make_layout(std::initializer_list<std::string_view> spec, const mesh& over) {
  return layout::of(partition_spec::of(spec).value(), over).value();
}

/// One to four dimensions of one to four, over one to four hosts, in any order of devices.
inline mesh random_mesh(picks& random) {
  std::vector<mesh_dimension> dimensions;
  const char* names[] = {"x", "y", "z", "w"};
  std::uint32_t size = 1;
  for (std::size_t i = 0, n = 1 + random.below(4); i < n; ++i) {
    dimensions.push_back({names[i], 1 + static_cast<std::int64_t>(random.below(4))});
    size *= static_cast<std::uint32_t>(dimensions.back().size);
  }
  const auto each = 1 + static_cast<std::uint32_t>(random.below(size));
  auto devices = devices_on((size + each - 1) / each, each);
  devices.resize(size, devices.front());
  if (random.chance(0.5))
    for (std::size_t i = size; i > 1; --i) std::swap(devices[i - 1], devices[random.below(i)]);
  return mesh::of("", device_kind::cpu, std::move(dimensions), std::move(devices)).value();
}

/// One to three dimensions of one to six, cut into boxes of any size, each of which is a host's.
inline mesh random_mesh_of_boxes(picks& random) {
  const char* names[] = {"x", "y", "z"};
  std::vector<mesh_dimension> dimensions;
  std::vector<std::uint32_t> box;
  std::uint32_t size = 1;
  for (std::size_t i = 0, n = 1 + random.below(3); i < n; ++i) {
    dimensions.push_back({names[i], 1 + static_cast<std::int64_t>(random.below(6))});
    box.push_back(1 + static_cast<std::uint32_t>(random.below(3)));
    size *= static_cast<std::uint32_t>(dimensions.back().size);
  }
  std::vector<mesh_device> devices;
  for (std::uint32_t d = 0; d < size; ++d) {
    std::uint32_t rest = d, host = 0, boxes = 1;
    for (std::size_t i = dimensions.size(); i-- > 0;) {
      const auto extent = static_cast<std::uint32_t>(dimensions[i].size);
      host += rest % extent / box[i] * boxes;
      boxes *= (extent + box[i] - 1) / box[i];
      rest /= extent;
    }
    devices.push_back({device_index{d}, rank{host}});
  }
  return mesh::of("", device_kind::cpu, std::move(dimensions), std::move(devices)).value();
}

/// Each array dimension over none, one or several dimensions of the mesh.
inline layout random_layout(picks& random, const mesh& over, std::size_t dimensions) {
  std::vector<dimension_sharding> entries(dimensions, mesh_axes{});
  std::vector<std::string> axes;
  for (const auto& d : over.dimensions()) axes.push_back(d.name);
  for (std::size_t i = axes.size(); i > 1; --i) std::swap(axes[i - 1], axes[random.below(i)]);
  for (auto& axis : axes)
    if (!entries.empty() && random.chance(0.7))
      std::get<mesh_axes>(entries[random.below(entries.size())]).push_back(axis);
  return layout::of(partition_spec::of(std::move(entries)).value(), over).value();
}

/// Of up to three array dimensions.
inline layout random_layout(picks& random, const mesh& over) {
  return random_layout(random, over, random.below(4));
}

inline shape_vector random_shape(picks& random, std::size_t dimensions) {
  shape_vector out;
  for (std::size_t i = 0; i < dimensions; ++i)
    out.push_back(static_cast<std::int64_t>(random.below(8)));
  return out;
}

}  // namespace muster::testing
