// What a tree is without its values: the same containers and keys, and at each leaf a text that says what kind of leaf
// it is. Hosts that must give alike trees compare outlines before any data moves. Pure; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <muster/messages/values/rank_set.hpp>
#include <muster/messages/values/status.hpp>
#include <muster/messages/values/tree.hpp>

namespace muster {

/// "f32 (2, 3)", "string", "bytes", "i64 scalar", "f64 scalar", "bool scalar". Lengths of strings and bytes are values.
std::string describe(const tree_leaf&);

/// The outline, packed: equal bytes for alike trees. `of_leaf` says what is compared at a leaf: what it is, unless a
/// caller wants more. The tree must be packable (asserted by pack).
payload outline_of(const tree&,
                   const std::function<std::string(const tree_leaf&)>& of_leaf = describe);

/// Where two outlines differ, in order of paths: what stands there in each. A container that differs is named
/// itself, and not what lies below it. At most `most`.
struct outline_difference {
  std::string path;
  std::string left, right;
  bool whole = false;  // the roots themselves differ
  friend bool operator==(const outline_difference&, const outline_difference&) = default;
};
std::vector<outline_difference> differences(const payload& left, const payload& right,
                                            std::size_t most);

/// For people, of statements about one operation whose outlines differ: "'b/0' is f32 (2, 3) at ranks 0-2 and f32 (2, 4)
/// at rank 3; ...", at most limits::differences_shown_max places. Empty where no two outlines differ.
std::string explain_differences(const std::vector<statement>&);

}  // namespace muster
