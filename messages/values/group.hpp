// Who takes part in an operation: a sorted list of ranks, or of devices, without repeats. A value. Actors know
// groups and never meshes; a mesh is turned into groups above them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/messages/values/ensure.hpp>
#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

/// Sorted, unique, never empty. Two groups are the same when their members are; the position of a member
/// is its place in that order, which is what trees and shards count by.
template <class Id>
class basic_group {
 public:
  /// The members in any order; invalid_argument, with the value, when there is none or one comes twice.
  static result<basic_group> of(std::vector<Id> members) {
    if (members.empty())
      return error(status_code::invalid_argument, "a group has at least one member");
    std::sort(members.begin(), members.end());
    if (const auto twice = std::adjacent_find(members.begin(), members.end());
        twice != members.end())
      return error(
          status_code::invalid_argument,
          "a group has each member once; " + std::to_string(twice->value) + " is given twice");
    return basic_group(std::move(members));
  }
  /// 0, 1, ..., size - 1, at least one.
  static basic_group first(std::uint32_t size) {
    ensure(size >= 1, "a group has at least one member");
    std::vector<Id> members(size);
    for (std::uint32_t i = 0; i < size; ++i) members[i] = Id{i};
    return of(std::move(members)).value();
  }

  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] std::span<const Id> members() const& { return members_; }
  std::span<const Id> members() const&& = delete;  // a view of what ends with the expression
  [[nodiscard]] Id operator[](std::size_t position) const { return members_.at(position); }
  [[nodiscard]] std::optional<std::size_t> position_of(Id who) const {
    const auto it = std::lower_bound(members_.begin(), members_.end(), who);
    if (it == members_.end() || *it != who) return std::nullopt;
    return static_cast<std::size_t>(it - members_.begin());
  }
  [[nodiscard]] bool contains(Id who) const { return position_of(who).has_value(); }

  friend bool operator==(const basic_group&, const basic_group&) = default;

 private:
  explicit basic_group(std::vector<Id> members) : members_(std::move(members)) {}
  std::vector<Id> members_;
};

/// Hosts of an operation, and devices of one.
using rank_group = basic_group<rank>;
using device_group = basic_group<device_index>;

/// "0-3,7", as a rank_set prints.
template <class Id>
std::string to_string(const basic_group<Id>& group) {
  rank_set numbers;
  for (const Id id : group.members()) numbers.insert(rank{id.value});
  return to_string(numbers);
}

}  // namespace muster
