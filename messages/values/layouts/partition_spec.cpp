#include <muster/messages/values/layouts/partition_spec.hpp>

#include <algorithm>

#include <muster/messages/values/layouts/mesh.hpp>
#include <muster/messages/values/layouts/text_cursor.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

constexpr std::string_view unsharded_word = "unsharded";
constexpr std::string_view match_word = "match";

mesh_axes split_axes(std::string_view text) {
  mesh_axes out;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find('+', at), text.size());
    out.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

dimension_sharding entry_of(std::string_view word) {
  if (word == match_word) return match_sharding{};
  if (word.empty() || word == unsharded_word) return mesh_axes{};
  return split_axes(word);
}

bool is_unsharded(const dimension_sharding& entry) {
  const auto* axes = std::get_if<mesh_axes>(&entry);
  return axes && axes->empty();
}

std::string to_text(const dimension_sharding& entry) {
  const auto* axes = std::get_if<mesh_axes>(&entry);
  if (!axes) return std::string(match_word);
  if (axes->empty()) return std::string(unsharded_word);
  std::string out;
  for (const auto& a : *axes) out += (out.empty() ? "" : "+") + a;
  return out;
}

}  // namespace

result<partition_spec> partition_spec::of(std::vector<dimension_sharding> entries) {
  if (entries.size() > limits::array_rank_max)
    return invalid_argument("a spec of " + std::to_string(entries.size()) +
                            " dimensions: at most " + std::to_string(limits::array_rank_max) +
                            " are allowed");
  partition_spec out(std::move(entries));
  const auto axes = out.axes();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (auto why = check_dimension_name(axes[i]); !why.ok()) return why;
    if (std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(i), axes[i]) !=
        axes.begin() + static_cast<std::ptrdiff_t>(i))
      return invalid_argument("mesh dimension " + in_quotes(axes[i]) + " stands in " +
                              text_cursor::clipped(to_string(out)) +
                              " twice: a mesh dimension shards at most one dimension of an array");
  }
  return out;
}

result<partition_spec> partition_spec::of(std::initializer_list<std::string_view> words) {
  std::vector<dimension_sharding> entries;
  for (auto word : words) entries.push_back(entry_of(word));
  return of(std::move(entries));
}

partition_spec partition_spec::unsharded(std::size_t dimensions) {
  return partition_spec(std::vector<dimension_sharding>(dimensions, mesh_axes{}));
}

mesh_axes partition_spec::axes() const {
  mesh_axes out;
  for (const auto& entry : entries_)
    if (const auto* axes = std::get_if<mesh_axes>(&entry))
      out.insert(out.end(), axes->begin(), axes->end());
  return out;
}

bool partition_spec::has_match() const {
  return std::any_of(entries_.begin(), entries_.end(), [](const auto& entry) {
    return std::holds_alternative<match_sharding>(entry);
  });
}

result<partition_spec> partition_spec::padded(std::size_t dimensions) const {
  if (size() > dimensions)
    return invalid_argument(text_cursor::clipped(to_string(*this)) + " has " +
                            std::to_string(size()) + " dimensions and the array has " +
                            std::to_string(dimensions));
  auto entries = entries_;
  entries.resize(dimensions, mesh_axes{});
  return partition_spec(std::move(entries));
}

bool equivalent(const partition_spec& a, const partition_spec& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const bool in_a = i < a.size(), in_b = i < b.size();
    if (in_a && in_b ? a[i] != b[i] : !is_unsharded(in_a ? a[i] : b[i])) return false;
  }
  return true;
}

std::string to_string(const partition_spec& spec) {
  std::string out = "[";
  for (std::size_t i = 0; i < spec.size(); ++i) out += (i ? "," : "") + to_text(spec[i]);
  return out + "]";
}

result<partition_spec> parse_partition_spec(std::string_view text) {
  text_cursor in(text, "a spec ([x,unsharded,y+z])");
  if (auto why = in.expect("[", "'['"); !why.ok()) return why;
  std::vector<dimension_sharding> entries;
  if (!in.take("]")) {
    do {
      const auto word = in.word(",]");
      if (word.empty()) return in.wrong("a mesh dimension, unsharded or match");
      entries.push_back(entry_of(word));
    } while (entries.size() <= limits::array_rank_max && in.take(","));
    if (auto why = in.expect("]", "',' or ']' behind a dimension"); !why.ok()) return why;
  }
  if (!in.at_end()) return in.wrong("the end");
  return partition_spec::of(std::move(entries));
}

}  // namespace muster
