// Outcomes of operations that the local member has not called yet: a late caller gets the outcome of the
// round that it missed, in order, instead of opening a round of its own. One owner, the collective; pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include <muster/messages/values/control.hpp>

namespace muster {

class untaken_table {
 public:
  /// Remembers the outcome. Ordered operations that failed because this member is behind are kept as one
  /// interval of numbers while their outcome is the same, so that memory stays flat.
  void add(const operation_key&, const status& outcome);

  /// The oldest outcome of that operation, taken out.
  std::optional<status> take(const operation_key&);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Names with limits::untaken_rounds_max outcomes or more, ordered operations as one, or everything.
  [[nodiscard]] behind limits_reached(rank self) const;

 private:
  struct interval {
    std::uint64_t first, last;
    status outcome;
  };
  std::map<named_key, std::deque<status>> named_;
  std::deque<interval> ordered_;  // ascending, disjoint
  std::size_t size_ = 0;          // named outcomes and ordered intervals
};

}  // namespace muster
