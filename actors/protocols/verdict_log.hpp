// The verdicts that a node has applied and its children may not have. One owner, the collective; pure.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <vector>

#include <muster/messages/values/control.hpp>

namespace muster {

/// Numbers are contiguous from 1. An entry is kept until every child has acknowledged it; without
/// children nothing is kept. What is kept answers the one question on which the protocol's safety
/// rests: was this operation decided after what the child knew when it spoke?
class verdict_log {
 public:
  explicit verdict_log(std::size_t children) : acknowledged_(children) {}

  /// The last verdict applied here.
  [[nodiscard]] verdict_number applied() const { return applied_; }
  /// Takes the verdict with number applied() + 1 (asserted).
  void append(const verdict&);

  [[nodiscard]] verdict_number acknowledged_by(std::size_t child) const {
    return acknowledged_[child];
  }
  /// The child has applied everything through `number`; never goes back.
  void acknowledge(std::size_t child, verdict_number number);
  [[nodiscard]] bool acknowledged_by_all(verdict_number number) const;

  /// Whether `key` was decided by a verdict after `number`. Exact for number >= what the child that is
  /// asked about has acknowledged.
  [[nodiscard]] bool decided_after(const operation_key& key, verdict_number number) const;

  /// The verdicts that this child has not acknowledged, in order.
  [[nodiscard]] std::vector<const verdict*> unacknowledged_by(std::size_t child) const;

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  void forget();

  verdict_number applied_{};
  std::vector<verdict_number> acknowledged_;
  std::deque<verdict> entries_;                      // numbers applied_ - size + 1 .. applied_
  std::map<operation_key, verdict_number> last_of_;  // of the entries kept
};

}  // namespace muster
