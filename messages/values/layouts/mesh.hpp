// A mesh: global devices in a box with named dimensions. A value that is the same on every host; copies share
// one description, so that 65,536 devices cost nothing to pass around. Any thread.
//
// Devices stand in row-major order of their coordinates: the last dimension moves fastest. The order is the
// caller's (a ring order, say) and need not be that of the device indices. A group of devices, which actors know,
// is made from a mesh here and has no order of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/messages/values/array.hpp>
#include <muster/messages/values/group.hpp>
#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

/// What memory a mesh lies in. A host mesh lies in its hosts' memory.
enum class device_kind : std::uint8_t { cpu = 1, cuda = 2 };
std::string_view to_string(device_kind);  // "cpu", "cuda"
std::optional<device_kind> device_kind_named(std::string_view);

struct mesh_dimension {
  std::string name;
  std::int64_t size = 0;
  friend bool operator==(const mesh_dimension&, const mesh_dimension&) = default;
};

struct mesh_device {
  device_index index;
  rank host;
  friend bool operator==(const mesh_device&, const mesh_device&) = default;
};

/// What one host brings, as the generation's table says.
struct host_devices {
  rank host;
  device_kind kind = device_kind::cpu;
  std::vector<device_index> devices;
  friend bool operator==(const host_devices&, const host_devices&) = default;
};

/// A range of one mesh dimension, [first, last).
struct mesh_range {
  std::string_view dimension;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// One number per mesh dimension.
using mesh_coordinates = std::vector<std::int64_t>;

/// Whether a mesh dimension may be called so: 1 to limits::mesh_name_bytes_max of letters, digits, '_', '-' and
/// '.', and none of the words that layouts keep for themselves (unsharded, match, any, scalar). Else the
/// rule, as invalid_argument. The name of a mesh obeys the same rule, or is empty.
status check_dimension_name(std::string_view);

class mesh {
 public:
  /// No dimension and no device.
  mesh();

  /// Exactly as many devices as the dimensions' product, each once; at least one dimension, sizes >= 1, at most
  /// limits::mesh_devices_max devices. One dimension may be -1: the devices decide. invalid_argument names the
  /// value and the rule.
  static result<mesh> of(std::string name, device_kind kind, std::vector<mesh_dimension> dimensions,
                         std::vector<mesh_device> devices);
  /// All devices of all hosts, in device index order. The hosts' devices must be disjoint and together exactly
  /// 0 to n - 1, and of one kind; what is wrong names the hosts and devices.
  static result<mesh> over(std::string name, std::vector<mesh_dimension> dimensions,
                           std::span<const host_devices> hosts);

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] device_kind kind() const;
  [[nodiscard]] std::span<const mesh_dimension> dimensions() const;
  [[nodiscard]] std::span<const mesh_device> devices() const;  // row-major
  [[nodiscard]] std::size_t size() const { return devices().size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] shape_vector shape() const;
  [[nodiscard]] shape_vector strides() const;  // in devices: {b*c, c, 1}

  /// Where a dimension stands, if there is one of that name.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view dimension) const;
  /// Its size; invalid_argument names it and those that there are.
  [[nodiscard]] result<std::int64_t> size_of(std::string_view dimension) const;
  /// Where a device stands in row-major order, if it does.
  [[nodiscard]] std::optional<std::size_t> position_of(device_index) const;
  /// invalid_argument for a position that is no device, and the inverse, for coordinates outside the shape. (A
  /// peer lets positions wrap around; here a wrong one is an error.)
  [[nodiscard]] result<mesh_coordinates> coordinates(std::size_t position) const;
  [[nodiscard]] result<std::size_t> position(std::span<const std::int64_t> coordinates) const;
  /// Every device with its coordinates, row-major.
  [[nodiscard]] std::vector<std::pair<device_index, mesh_coordinates>> unravel() const;

  /// The hosts that own a device of it. Only where it is not empty.
  [[nodiscard]] rank_group hosts() const;
  /// Positions of the devices of a host, ascending; none where the mesh is remote to it.
  [[nodiscard]] std::vector<std::size_t> positions_of(rank host) const;
  /// The smallest box around a host's devices, with the same dimensions in the same order. invalid_argument when
  /// the host has none here, or when the box holds a device of another host, which is named (source: the
  /// contiguous-subcube rule of JAX's host_local_array_to_global_array).
  [[nodiscard]] result<mesh> local_mesh(rank host) const;
  /// The same devices' places in host memory: kind cpu, indices kept, no name. A CPU mesh is its own.
  [[nodiscard]] mesh host_mesh() const;
  /// The devices inside all ranges; a dimension that is not named is kept whole. invalid_argument for an unknown
  /// or repeated dimension and for a range that is empty or leaves the mesh.
  [[nodiscard]] result<mesh> slice(std::span<const mesh_range> ranges) const;
  /// The devices with that coordinate, and one dimension less. A mesh has at least one dimension, so its only one is
  /// not taken away (refused): take a slice.
  [[nodiscard]] result<mesh> at(std::string_view dimension, std::int64_t coordinate) const;
  /// The mesh with every dimension not named shrunk to its first coordinate.
  [[nodiscard]] result<mesh> reduced_to(std::span<const std::string> dimensions) const;

  /// All devices as a group. Only where it is not empty.
  [[nodiscard]] device_group group() const;
  /// The devices that differ only along the named dimensions, one group per setting of the others, in row-major
  /// order of these. All dimensions: one group; none: one group per device.
  [[nodiscard]] result<std::vector<device_group>> groups_along(
      std::span<const std::string> dimensions) const;

  /// Dimensions, kind and devices as text, without the name: equal on all hosts that mean the same mesh.
  [[nodiscard]] std::string fingerprint() const;

  /// Name, kind, dimensions, devices and hosts.
  friend bool operator==(const mesh&, const mesh&);

  struct description;  // in mesh.cpp

 private:
  explicit mesh(std::shared_ptr<const description> d);
  std::shared_ptr<const description> description_;
};

/// "name|x=4,y=2|cuda|0:0-3,1:4-7": name, dimensions, kind, and devices in mesh order as host:first-last, where a
/// run of ascending indices of one host is one item ("0:5" alone). The empty mesh is "empty mesh".
std::string to_string(const mesh&);
/// Takes exactly what to_string writes; anything else is invalid_argument with the offset, what stands there and
/// the rule. So two meshes are equal when their texts are.
result<mesh> parse_mesh(std::string_view);

}  // namespace muster
