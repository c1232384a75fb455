#include <algorithm>
#include <map>
#include <numeric>

#include <muster/messages/values/layouts/mesh.hpp>
#include <muster/messages/values/layouts/mesh_description.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {
namespace {

constexpr std::string_view reserved_words[] = {"unsharded", "match", "any", "scalar"};

status check_dimensions(std::span<const mesh_dimension> dimensions) {
  if (dimensions.empty()) return invalid_argument("a mesh has at least one dimension");
  if (dimensions.size() > limits::mesh_dimensions_max)
    return invalid_argument("a mesh of " + std::to_string(dimensions.size()) +
                            " dimensions: at most " + std::to_string(limits::mesh_dimensions_max) +
                            " are allowed");
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const auto& [name, size] = dimensions[i];
    if (auto why = check_dimension_name(name); !why.ok()) return why;
    for (std::size_t j = 0; j < i; ++j)
      if (dimensions[j].name == name)
        return invalid_argument("mesh dimension " + in_quotes(name) + " is given twice");
    if (size < 1 && size != -1)
      return invalid_argument("mesh dimension " + in_quotes(name) + " has size " +
                              std::to_string(size) +
                              ": it must be at least 1, or -1 for what the devices leave");
  }
  return {};
}

/// Puts the size that is left in the place of -1, and checks the product.
status settle_sizes(std::vector<mesh_dimension>& dimensions, std::size_t devices) {
  mesh_dimension* open = nullptr;
  std::size_t known = 1;
  for (auto& d : dimensions) {
    if (d.size == -1) {
      if (open)
        return invalid_argument("mesh dimensions " + in_quotes(open->name) + " and " +
                                in_quotes(d.name) + " both have size -1: only one may");
      open = &d;
    } else if (__builtin_mul_overflow(known, static_cast<std::size_t>(d.size), &known) ||
               known > limits::mesh_devices_max) {
      return invalid_argument("a mesh with " + describe(dimensions) + " has more than " +
                              std::to_string(limits::mesh_devices_max) + " devices");
    }
  }
  if (open && devices % known == 0 && devices > 0)
    known *= static_cast<std::size_t>(open->size = static_cast<std::int64_t>(devices / known));
  if (open && open->size == -1)
    return invalid_argument(std::to_string(devices) + " devices for a mesh with " +
                            describe(dimensions) + ": they must be a multiple of " +
                            std::to_string(known));
  if (known != devices)
    return invalid_argument(std::to_string(devices) + " devices for a mesh with " +
                            describe(dimensions) + ": it takes " + std::to_string(known));
  return {};
}

/// Positions of the devices in the order of their indices.
result<std::vector<std::uint32_t>> sorted_positions(std::span<const mesh_device> devices) {
  std::vector<std::uint32_t> order(devices.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return devices[a].index < devices[b].index; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (devices[order[i - 1]].index == devices[order[i]].index)
      return invalid_argument("device " + std::to_string(devices[order[i]].index.value) +
                              " stands in the mesh twice, at positions " +
                              std::to_string(std::min(order[i - 1], order[i])) + " and " +
                              std::to_string(std::max(order[i - 1], order[i])));
  return order;
}

const std::shared_ptr<const mesh::description>& nothing() {
  static const auto empty = std::make_shared<const mesh::description>();
  return empty;
}

}  // namespace

std::string_view to_string(device_kind kind) { return kind == device_kind::cuda ? "cuda" : "cpu"; }

std::optional<device_kind> device_kind_named(std::string_view name) {
  for (auto kind : {device_kind::cpu, device_kind::cuda})
    if (to_string(kind) == name) return kind;
  return {};
}

std::string describe(std::span<const mesh_dimension> dimensions) {
  std::string out;
  for (const auto& d : dimensions)
    out += (out.empty() ? "" : ",") + d.name + "=" + std::to_string(d.size);
  return out.empty() ? "no dimensions" : out;
}

status check_dimension_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  if (name.empty() || name.size() > limits::mesh_name_bytes_max ||
      !std::all_of(name.begin(), name.end(), allowed))
    return invalid_argument("the name " +
                            in_quotes(name.substr(0, 2 * limits::mesh_name_bytes_max)) +
                            " must be 1 to " + std::to_string(limits::mesh_name_bytes_max) +
                            " letters, digits, '_', '-' or '.'");
  for (auto word : reserved_words)
    if (name == word)
      return invalid_argument("the name " + in_quotes(name) +
                              " is reserved: layouts use it themselves");
  return {};
}

mesh::mesh() : description_(nothing()) {}
mesh::mesh(std::shared_ptr<const description> d) : description_(std::move(d)) {}

result<mesh> mesh::of(std::string name, device_kind kind, std::vector<mesh_dimension> dimensions,
                      std::vector<mesh_device> devices) {
  if (!name.empty())
    if (auto why = check_dimension_name(name); !why.ok()) return why;
  if (auto why = check_dimensions(dimensions); !why.ok()) return why;
  if (auto why = settle_sizes(dimensions, devices.size()); !why.ok()) return why;
  auto order = sorted_positions(devices);
  if (!order) return order.why();
  std::vector<std::size_t> strides(dimensions.size(), 1);
  for (std::size_t i = dimensions.size(); i-- > 1;)
    strides[i - 1] = strides[i] * static_cast<std::size_t>(dimensions[i].size);
  return mesh(std::make_shared<const description>(
      description{std::move(name), kind, std::move(dimensions), std::move(devices),
                  std::move(*order), std::move(strides)}));
}

result<mesh> mesh::over(std::string name, std::vector<mesh_dimension> dimensions,
                        std::span<const host_devices> hosts) {
  std::map<device_index, rank> owners;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto& h = hosts[i];
    if (h.kind != hosts.front().kind)
      return invalid_argument("a mesh has devices of one kind: host " +
                              to_string(hosts.front().host) + " has " +
                              std::string(to_string(hosts.front().kind)) + " and host " +
                              to_string(h.host) + " has " + std::string(to_string(h.kind)));
    for (std::size_t j = 0; j < i; ++j)
      if (hosts[j].host == h.host)
        return invalid_argument("host " + to_string(h.host) + " is listed twice");
    for (auto d : h.devices)
      if (auto [at, added] = owners.emplace(d, h.host); !added)
        return invalid_argument("device " + std::to_string(d.value) + " is claimed by host " +
                                to_string(at->second) + " and by host " + to_string(h.host));
  }
  std::vector<mesh_device> devices;
  for (auto [device, host] : owners) {
    if (device.value != devices.size())
      return invalid_argument("no host has device " + std::to_string(devices.size()) +
                              ", but host " + to_string(host) + " has device " +
                              std::to_string(device.value) +
                              ": together the hosts have devices 0 to n - 1");
    devices.push_back({device, host});
  }
  const auto kind = hosts.empty() ? device_kind::cpu : hosts.front().kind;
  return of(std::move(name), kind, std::move(dimensions), std::move(devices));
}

const std::string& mesh::name() const { return description_->name; }
device_kind mesh::kind() const { return description_->kind; }
std::span<const mesh_dimension> mesh::dimensions() const { return description_->dimensions; }
std::span<const mesh_device> mesh::devices() const { return description_->devices; }

shape_vector mesh::shape() const {
  shape_vector out;
  for (const auto& d : dimensions()) out.push_back(d.size);
  return out;
}

shape_vector mesh::strides() const {
  return {description_->strides.begin(), description_->strides.end()};
}

std::optional<std::size_t> mesh::find(std::string_view dimension) const {
  for (std::size_t i = 0; i < dimensions().size(); ++i)
    if (dimensions()[i].name == dimension) return i;
  return {};
}

result<std::int64_t> mesh::size_of(std::string_view dimension) const {
  const auto at = find(dimension);
  if (!at) return no_such_dimension(*this, dimension);
  return dimensions()[*at].size;
}

status no_such_dimension(const mesh& of, std::string_view dimension) {
  return invalid_argument("there is no mesh dimension " + in_quotes(dimension) + ": the mesh has " +
                          describe(of.dimensions()));
}

std::optional<std::size_t> mesh::position_of(device_index device) const {
  const auto& order = description_->by_index;
  const auto at = std::lower_bound(order.begin(), order.end(), device, [&](auto position, auto d) {
    return devices()[position].index < d;
  });
  if (at == order.end() || devices()[*at].index != device) return {};
  return *at;
}

result<mesh_coordinates> mesh::coordinates(std::size_t position) const {
  if (position >= size())
    return invalid_argument("position " + std::to_string(position) + " in a mesh of " +
                            std::to_string(size()) + " devices: it must be less");
  return coordinates_at(*this, position);
}

result<std::size_t> mesh::position(std::span<const std::int64_t> coordinates) const {
  if (coordinates.size() != dimensions().size())
    return invalid_argument(std::to_string(coordinates.size()) + " coordinates for a mesh with " +
                            describe(dimensions()));
  std::size_t out = 0;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (coordinates[i] < 0 || coordinates[i] >= dimensions()[i].size)
      return invalid_argument("coordinate " + std::to_string(coordinates[i]) + " along " +
                              in_quotes(dimensions()[i].name) + ": it must be 0 to " +
                              std::to_string(dimensions()[i].size - 1));
    out += static_cast<std::size_t>(coordinates[i]) * description_->strides[i];
  }
  return out;
}

mesh_coordinates coordinates_at(const mesh& of, std::size_t position) {
  mesh_coordinates out(of.dimensions().size());
  for (std::size_t i = out.size(); i-- > 0;) {
    const auto size = static_cast<std::size_t>(of.dimensions()[i].size);
    out[i] = static_cast<std::int64_t>(position % size);
    position /= size;
  }
  return out;
}

std::vector<std::pair<device_index, mesh_coordinates>> mesh::unravel() const {
  std::vector<std::pair<device_index, mesh_coordinates>> out;
  for (std::size_t i = 0; i < size(); ++i)
    out.emplace_back(devices()[i].index, coordinates_at(*this, i));
  return out;
}

bool operator==(const mesh& a, const mesh& b) {
  return a.description_ == b.description_ || (a.name() == b.name() && a.kind() == b.kind() &&
                                              std::ranges::equal(a.dimensions(), b.dimensions()) &&
                                              std::ranges::equal(a.devices(), b.devices()));
}

}  // namespace muster
