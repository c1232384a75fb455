#include <muster/messages/values/outline.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {
namespace {

using leaf_text = std::function<std::string(const tree_leaf&)>;

tree outlined(const tree& t, const leaf_text& of_leaf) {
  if (const auto* leaf = std::get_if<tree_leaf>(&t.get())) return {of_leaf(*leaf)};
  if (const auto* d = std::get_if<tree::dict>(&t.get())) {
    tree::dict out;
    for (const auto& [key, child] : d->entries)
      out.entries.emplace_back(key, outlined(child, of_leaf));
    return out;
  }
  if (const auto* l = std::get_if<tree::list>(&t.get())) {
    tree::list out;
    for (const auto& child : l->items) out.items.push_back(outlined(child, of_leaf));
    return out;
  }
  tree::tuple out;
  for (const auto& child : std::get<tree::tuple>(t.get()).items)
    out.items.push_back(outlined(child, of_leaf));
  return out;
}

std::string items(std::size_t n) { return std::to_string(n) + (n == 1 ? " item" : " items"); }

/// Whole, or its beginning: what is compared may be of any length.
std::string clipped(std::string_view text) {
  if (text.size() <= limits::difference_bytes_max) return std::string(text);
  return std::string(text.substr(0, limits::difference_bytes_max)) + "...";
}

std::string keys_of(const tree::dict& d) {
  std::string out;
  for (const auto& [key, child] : d.entries) {
    if (out.size() > limits::difference_bytes_max) return out + ", ...";
    out += (out.empty() ? "" : ", ") + in_quotes(clipped(key));
  }
  return out;
}

/// A node by itself: for a leaf its text.
std::string node_text(const tree& outline) {
  if (const auto* text = outline.leaf<std::string>()) return clipped(*text);
  if (const auto* d = std::get_if<tree::dict>(&outline.get()))
    return d->entries.empty() ? "an empty dict" : "a dict of " + keys_of(*d);
  if (const auto* l = std::get_if<tree::list>(&outline.get()))
    return "a list of " + items(l->items.size());
  if (const auto* t = std::get_if<tree::tuple>(&outline.get()))
    return "a tuple of " + items(t->items.size());
  return "no outline";
}

class comparison {
 public:
  comparison(std::vector<outline_difference>& out, std::size_t most) : out_(out), most_(most) {}

  void walk(const tree& left, const tree& right, const std::string& path, bool at_root = false) {
    if (out_.size() == most_ || left == right) return;
    const auto *ld = std::get_if<tree::dict>(&left.get()),
               *rd = std::get_if<tree::dict>(&right.get());
    if (ld && rd && same_keys(*ld, *rd)) {
      for (std::size_t i = 0; i < ld->entries.size(); ++i)
        walk(ld->entries[i].second, rd->entries[i].second,
             below(path, at_root, detail::escaped_key(ld->entries[i].first)));
      return;
    }
    if (walk_items<tree::list>(left, right, path, at_root) ||
        walk_items<tree::tuple>(left, right, path, at_root))
      return;
    out_.push_back({path, node_text(left), node_text(right), at_root});
  }

 private:
  static std::string below(const std::string& path, bool at_root, const std::string& part) {
    return at_root ? part : path + "/" + part;
  }
  static bool same_keys(const tree::dict& a, const tree::dict& b) {
    return std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                      [](const auto& x, const auto& y) { return x.first == y.first; });
  }
  template <class Items>
  bool walk_items(const tree& left, const tree& right, const std::string& path, bool at_root) {
    const auto *a = std::get_if<Items>(&left.get()), *b = std::get_if<Items>(&right.get());
    if (!a || !b || a->items.size() != b->items.size()) return false;
    for (std::size_t i = 0; i < a->items.size(); ++i)
      walk(a->items[i], b->items[i], below(path, at_root, std::to_string(i)));
    return true;
  }

  std::vector<outline_difference>& out_;
  const std::size_t most_;
};

/// What one statement has at a place, as far as it is known from how it differs from the first one.
std::optional<std::string> at_place(const std::vector<outline_difference>& own,
                                    const outline_difference& place) {
  for (const auto& d : own) {
    if (d.path == place.path) return d.right;
    if (d.whole || place.path.starts_with(d.path + "/"))
      return std::nullopt;  // all of it is another
  }
  // Beyond what was compared nobody knows.
  if (own.size() == limits::differences_compared_max) return std::nullopt;
  return place.left;
}

std::string at_ranks(const rank_set& ranks) {
  return (ranks.size() == 1 ? " at rank " : " at ranks ") + to_string(ranks);
}

}  // namespace

std::string describe(const tree_leaf& leaf) {
  if (const auto* a = std::get_if<array>(&leaf))
    return std::string(to_string(a->dtype)) + " " + to_string(a->shape);
  if (std::holds_alternative<std::string>(leaf)) return "string";
  if (std::holds_alternative<bytes_leaf>(leaf)) return "bytes";
  if (std::holds_alternative<std::int64_t>(leaf)) return "i64 scalar";
  if (std::holds_alternative<double>(leaf)) return "f64 scalar";
  return "bool scalar";
}

payload outline_of(const tree& t, const leaf_text& of_leaf) { return pack(outlined(t, of_leaf)); }

std::vector<outline_difference> differences(const payload& left, const payload& right,
                                            std::size_t most) {
  std::vector<outline_difference> out;
  const auto a = unpack(left), b = unpack(right);
  if (a.ok() && b.ok())
    comparison(out, most).walk(a.value(), b.value(), "", true);
  else if (most > 0)
    out.push_back({"", a.ok() ? "a tree" : "no tree", b.ok() ? "a tree" : "no tree", true});
  return out;
}

std::string explain_differences(const std::vector<statement>& said) {
  std::vector<const statement*> with;
  for (const auto& s : said)
    if (!s.said.outline.empty()) with.push_back(&s);
  // Of each how it differs from the first; and all the places, in the order in which they are met.
  std::vector<std::vector<outline_difference>> how(with.size());
  std::vector<outline_difference> places;
  for (std::size_t i = 1; i < with.size(); ++i) {
    how[i] = differences(with.front()->said.outline, with[i]->said.outline,
                         limits::differences_compared_max);
    for (const auto& d : how[i])
      if (std::ranges::find(places, d.path, &outline_difference::path) == places.end())
        places.push_back(d);
  }
  std::string out;
  for (std::size_t p = 0; p < places.size(); ++p) {
    if (p == limits::differences_shown_max) {
      out += "; and at " + std::to_string(places.size() - p) + " more places";
      break;
    }
    std::vector<std::pair<std::string, rank_set>> groups;
    for (std::size_t i = 0; i < with.size(); ++i) {
      const auto text = i == 0 ? std::optional(places[p].left) : at_place(how[i], places[p]);
      if (!text) continue;
      auto group = std::ranges::find(groups, *text, &std::pair<std::string, rank_set>::first);
      if (group == groups.end()) group = groups.insert(groups.end(), {*text, {}});
      group->second.merge(with[i]->ranks);
    }
    out += (p == 0 ? "" : "; ") + in_quotes(clipped(places[p].path)) + " is ";
    for (std::size_t g = 0; g < groups.size(); ++g)
      out += (g == 0 ? "" : " and ") + groups[g].first + at_ranks(groups[g].second);
  }
  return out;
}

}  // namespace muster
