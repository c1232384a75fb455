// The inside of a mesh, and what its files share. Not for others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/messages/values/layouts/mesh.hpp>

namespace muster {

struct mesh::description {
  std::string name;
  device_kind kind = device_kind::cpu;
  std::vector<mesh_dimension> dimensions;
  std::vector<mesh_device> devices;     // row-major
  std::vector<std::uint32_t> by_index;  // positions in the order of device indices
  std::vector<std::size_t> strides;
};

/// "x=4,y=2".
std::string describe(std::span<const mesh_dimension>);
/// The error that names a dimension that the mesh doesn't have, and those that it has.
status no_such_dimension(const mesh&, std::string_view dimension);
/// Of a position that is known to be one.
mesh_coordinates coordinates_at(const mesh&, std::size_t position);

}  // namespace muster
