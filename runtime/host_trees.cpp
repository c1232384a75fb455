// Operations on trees: what a host says of its tree, what it gives, and what it makes of what comes back.
#include <bit>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

#include <muster/messages/values/outline.hpp>
#include <muster/messages/values/text.hpp>
#include <muster/runtime/gathered.hpp>
#include <muster/runtime/host_state.hpp>

namespace muster {
namespace {

/// Who takes part, and that the tree can travel; else what to refuse the call with.
status prepare(signature& said, std::span<const rank> group, const tree* value) {
  if (auto why = among(group, said); !why.ok()) return why;
  if (value == nullptr) return {};
  auto why = check_packable(*value);
  if (!why.ok()) why.text = std::string(to_string(said.kind)) + ": " + why.text;
  return why;
}

constexpr std::size_t shown_whole_max = 64;

std::string digest_of(bytes_view bytes) {
  const auto d = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", d.high64, d.low64);
}

/// A leaf's kind and its value: whole where that is short, else as a digest of its bytes.
std::string describe_value(const tree_leaf& leaf) {
  const auto kind = describe(leaf) + " ";
  if (const auto* a = std::get_if<array>(&leaf)) return kind + digest_of(a->data.bytes());
  if (const auto* s = std::get_if<std::string>(&leaf))
    return kind +
           (s->size() <= shown_whole_max ? in_quotes(*s) : digest_of(std::as_bytes(std::span(*s))));
  if (const auto* b = std::get_if<bytes_leaf>(&leaf))
    return "(" + std::to_string(b->data.size()) + ",) " + kind + digest_of(b->data.bytes());
  if (const auto* i = std::get_if<std::int64_t>(&leaf)) return kind + std::to_string(*i);
  if (const auto* v = std::get_if<bool>(&leaf)) return kind + (*v ? "true" : "false");
  const auto v = std::get<double>(leaf);
  return kind + fmt::format("{} (bits {:016x})", v, std::bit_cast<std::uint64_t>(v));
}

struct to_tree {
  result<tree> operator()(const contribution& made) const {
    if (made.frames.size() != 1)
      return error(status_code::internal, "broadcast_one_to_all: a result without a tree");
    return unpack(made.frames.front());
  }
};

struct to_trees {
  result<std::vector<tree>> operator()(const contribution& made) const {
    std::vector<tree> out;
    for (const auto& frame : made.frames) {
      auto one = unpack(frame);
      if (!one) return one.why();
      out.push_back(std::move(*one));
    }
    return out;
  }
};

struct to_gathered_tree {
  gather_shape how;
  result<tree> operator()(const contribution& made) const {
    auto parts = to_trees{}(made);
    if (!parts) return parts.why();
    if (parts->empty())
      return error(status_code::internal, "process_allgather: a result without trees");
    // They come from other hosts, whose outlines were alike by what they said.
    const auto first = outline_of(parts->front());
    for (std::size_t r = 1; r < parts->size(); ++r)
      if (outline_of((*parts)[r]) != first)
        return error(status_code::internal, "process_allgather: member " + std::to_string(r) +
                                                " in rank order gave another tree than it said");
    return gathered(*parts, how);
  }
};

contribution one_frame(payload p) {
  contribution out;
  out.frames.push_back(std::move(p));
  return out;
}

signature broadcast_says(const broadcast_options& o, rank self) {
  auto said = says(op_kind::broadcast_one_to_all);
  if (!o.is_source)
    said.source = o.source;
  else if (*o.is_source)
    said.source = self;
  return said;
}

}  // namespace

op<tree> host::broadcast_one_to_all(const tree& value, broadcast_options o) const {
  auto said = broadcast_says(o, rank());
  if (auto why = prepare(said, o.group, &value); !why.ok())
    return op<tree>::completed(std::move(why));
  const bool gives = said.source == rank();
  if (gives || value != tree{}) said.outline = outline_of(value);  // elsewhere nothing is no tree
  auto given = gives ? one_frame(pack(value)) : contribution{};
  return state_->start<tree>(std::move(said), {o.soft, o.hard}, std::move(given), to_tree{});
}

op<tree> host::broadcast_one_to_all(broadcast_options o) const {
  auto said = broadcast_says(o, rank());
  if (auto why = prepare(said, o.group, nullptr); !why.ok())
    return op<tree>::completed(std::move(why));
  return state_->start<tree>(std::move(said), {o.soft, o.hard}, contribution{}, to_tree{});
}

op<tree> host::process_allgather(const tree& value, allgather_options o) const {
  auto said = says(op_kind::process_allgather);
  if (auto why = prepare(said, o.group, &value); !why.ok())
    return op<tree>::completed(std::move(why));
  said.outline = outline_of(value);
  const auto how = o.tiled ? gather_shape::tiled : gather_shape::stacked;
  return state_->start<tree>(std::move(said), {o.soft, o.hard}, one_frame(pack(value)),
                             to_gathered_tree{how});
}

op<void> host::assert_equal(const tree& value, std::string_view name, operation_options o) const {
  auto said = says(op_kind::assert_equal, name);
  if (auto why = prepare(said, o.group, &value); !why.ok())
    return op<void>::completed(std::move(why));
  said.outline = outline_of(value, describe_value);
  o.group = {};  // stands in what is said already
  return state_->start_empty(std::move(said), o);
}

op<std::vector<tree>> host::gather(const tree& value, target_options o) const {
  using list = std::vector<tree>;
  auto said = says(op_kind::gather);
  said.target = o.target;
  if (auto why = prepare(said, o.group, &value); !why.ok())
    return op<list>::completed(std::move(why));
  said.outline = outline_of(value);
  return state_->start<list>(std::move(said), {o.soft, o.hard}, one_frame(pack(value)), to_trees{});
}

}  // namespace muster
