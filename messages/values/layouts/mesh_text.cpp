#include <algorithm>

#include <muster/messages/values/layouts/mesh.hpp>
#include <muster/messages/values/layouts/mesh_description.hpp>
#include <muster/messages/values/layouts/text_cursor.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

constexpr std::string_view empty_mesh = "empty mesh";

std::string devices_text(std::span<const mesh_device> devices) {
  std::string out;
  for (std::size_t i = 0; i < devices.size();) {
    std::size_t end = i + 1;
    while (end < devices.size() && devices[end].host == devices[i].host &&
           devices[end].index.value == devices[end - 1].index.value + 1)
      ++end;
    if (!out.empty()) out += ',';
    out += to_string(devices[i].host) + ":" + std::to_string(devices[i].index.value);
    if (end - i > 1) out += "-" + std::to_string(devices[end - 1].index.value);
    i = end;
  }
  return out;
}

/// "x=4,y=2".
result<std::vector<mesh_dimension>> read_dimensions(text_cursor& in) {
  std::vector<mesh_dimension> out;
  do {
    mesh_dimension d;
    d.name = in.word("=");
    if (auto why = in.expect("=", "'=' and the size of the dimension"); !why.ok()) return why;
    const auto size = in.number(limits::mesh_devices_max);
    if (!size) return size.why();
    d.size = static_cast<std::int64_t>(*size);
    out.push_back(std::move(d));
  } while (out.size() <= limits::mesh_dimensions_max && in.take(","));
  return out;
}

/// "0:0-3,1:4-7".
result<std::vector<mesh_device>> read_devices(text_cursor& in) {
  constexpr std::uint64_t largest = 0xffff'ffff;
  std::vector<mesh_device> out;
  do {
    const auto host = in.number(largest);
    if (!host) return host.why();
    if (auto why = in.expect(":", "':' and the devices of the host"); !why.ok()) return why;
    const auto first = in.number(largest);
    if (!first) return first.why();
    auto last = first;
    if (in.take("-")) last = in.number(largest);
    if (!last) return last.why();
    if (*last < *first || *last - *first >= limits::mesh_devices_max - out.size())
      return in.wrong("devices in ascending order, at most " +
                      std::to_string(limits::mesh_devices_max) + " in all");
    for (auto d = *first; d <= *last; ++d)
      out.push_back(
          {device_index{static_cast<std::uint32_t>(d)}, rank{static_cast<std::uint32_t>(*host)}});
  } while (in.take(","));
  return out;
}

}  // namespace

std::string mesh::fingerprint() const {
  if (empty()) return std::string(empty_mesh);
  return describe(dimensions()) + "|" + std::string(to_string(kind())) + "|" +
         devices_text(devices());
}

std::string to_string(const mesh& m) {
  return m.empty() ? m.fingerprint() : m.name() + "|" + m.fingerprint();
}

result<mesh> parse_mesh(std::string_view text) {
  if (text == empty_mesh) return mesh{};
  text_cursor in(text, "a mesh (name|x=4,y=2|cuda|0:0-3,1:4-7)");
  std::string name(in.word("|"));
  if (auto why = in.expect("|", "'|' behind the name"); !why.ok()) return why;
  auto dimensions = read_dimensions(in);
  if (!dimensions) return dimensions.why();
  if (auto why = in.expect("|", "',' or '|' behind a dimension"); !why.ok()) return why;
  const auto kind = device_kind_named(in.word("|"));
  if (!kind) return in.wrong("a kind of device, cpu or cuda");
  if (auto why = in.expect("|", "'|' behind the kind of device"); !why.ok()) return why;
  auto devices = read_devices(in);
  if (!devices) return devices.why();
  if (!in.at_end()) return in.wrong("',' and more devices, or the end");
  auto made = mesh::of(std::move(name), *kind, std::move(*dimensions), std::move(*devices));
  if (made && to_string(*made) != text)  // a run in pieces, say
    return in.wrong("the one way to write this mesh, " + in.clipped(to_string(*made)));
  return made;
}

}  // namespace muster
