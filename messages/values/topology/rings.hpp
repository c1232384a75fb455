// In which order cores form rings, so that neighbours in a ring are neighbours in the machine. Pure functions; any
// thread. Source of the semantics: the device assignment of TensorFlow DTensor's TPU meshes, with bounds compared
// element by element.
//
//     y0   A > B > C > D      One plane, four by four: the first row, then back and forth over what is right of
//     y1   P   G < F < E      the first column, and home through the first column.
//     y2   O   H > I > J
//     y3   N < M < L < K
//
// All neighbours are adjacent cells exactly where a full rectangle of single cores has two columns, or has two or more
// and an even number of rows, or is one column of two.
//
// Several planes: the column at the corner (first x, first y) is the way home; the rest of each plane is walked as above,
// every other plane backwards. The cores of a cell follow each other.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/messages/values/layouts/mesh.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

struct core_location {
  std::int32_t x = 0, y = 0, z = 0, core = 0;
  friend auto operator<=>(const core_location&, const core_location&) = default;
};
std::string to_string(const core_location&);  // "(3, 1, 0, 1)"

/// The order of one ring: a permutation of the positions in `cells`. With `rotate` x and y change places.
std::vector<std::size_t> ring_order(std::span<const core_location> cells, bool rotate = false);

/// `cells` are rings of ring_size, one after another. All are ordered by the permutation of the first; then whole rings
/// are ordered by the ring of their first cores, which `rotate_across` rotates. invalid_argument when ring_size is 0
/// or does not divide.
result<std::vector<core_location>> orthogonal_rings(std::span<const core_location> cells,
                                                    std::size_t ring_size, bool rotate_across);

enum class core_axis : std::uint8_t { x = 0, y = 1, z = 2, core = 3 };
using core_bounds = std::array<std::int32_t, 4>;  // sizes along x, y, z and core
using core_axes = std::array<core_axis, 4>;       // fastest first

/// Every core of a box once, cut into rings of `ring_bounds`, and these into hosts: rings, hosts in a ring and cores in
/// a host are each enumerated by `axes`, the first one fastest. A host has two by two cells, or one in a box of at most
/// two cores; with `split_hosts` it doesn't count. invalid_argument, with both values: a size below 1, more than two
/// cores in a cell, axes that are no permutation, ring bounds that are (along any axis) no multiple of the host's or
/// don't divide the box, a ring smaller than a host, and more than limits::mesh_devices_max cores.
result<std::vector<core_location>> enumerate_cores(const core_bounds& box,
                                                   const core_bounds& ring_bounds,
                                                   const core_axes& axes, bool split_hosts,
                                                   std::size_t ring_size);

/// How the cores of a topology become a mesh.
struct ring_mesh_options {
  /// Rings over this many of the mesh's first dimensions, or, negative, of its last; 0: every ring is one core.
  /// Unless set, all dimensions but the first.
  std::optional<std::int32_t> ring_dimensions = {};
  core_axes axes = {core_axis::core, core_axis::x, core_axis::y, core_axis::z};
  std::optional<core_bounds> ring_bounds = {};  // the topology unless set
  bool split_hosts = true;
  bool ring_across_rings = false;
  bool rotate_across_rings = false;
};

/// The location for each device of a mesh of that shape over that topology, row-major. invalid_argument, with
/// the values: a mesh without dimensions or with another size than the topology, ring_dimensions out of range, and what
/// enumerate_cores refuses.
result<std::vector<core_location>> ring_mesh_order(std::span<const mesh_dimension> mesh,
                                                   const core_bounds& topology,
                                                   const ring_mesh_options& options = {});

}  // namespace muster
