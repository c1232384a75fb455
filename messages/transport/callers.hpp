// Who speaks to us: which connection belongs to which rank, and which of them is the newest life. A
// value; one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include <muster/messages/transport/carrier.hpp>
#include <muster/messages/values/ids.hpp>
#include <muster/messages/wire/hello.hpp>

namespace muster {

/// A rank speaks over one life at a time: the one that said hello last. An older life of the same
/// incarnation never takes over again; another incarnation always does, since which one is current
/// is for the membership to say. At most two connections per rank and a bounded memory of replaced
/// ones.
class callers {
 public:
  enum class standing : std::uint8_t {
    unknown,  // has not said hello, or was forgotten
    halfway,  // the other lane of its life has not said hello yet
    current,
    stale,  // a newer life of its rank has said hello
  };
  struct speaker {
    muster::callers::standing standing = standing::unknown;
    muster::rank rank{};
  };
  [[nodiscard]] speaker find(const caller_id&) const;

  /// What became of a valid hello: `stale`, `halfway`, or `current` for the one that completes a
  /// life.
  standing admit(const caller_id&, const hello&);

  [[nodiscard]] std::size_t size() const { return ranks_.size(); }

 private:
  struct spoken_life {
    muster::incarnation incarnation;
    std::uint64_t number = 0;
    std::array<std::optional<caller_id>, 2> lanes;
    [[nodiscard]] bool whole() const { return lanes[0] && lanes[1]; }
  };
  void replace(const caller_id&);

  std::map<rank, spoken_life> current_;
  std::map<caller_id, rank>
      ranks_;  // of every connection that said a valid hello, replaced ones included
  std::deque<caller_id> replaced_;  // oldest first, at most limits::replaced_callers_max
};

}  // namespace muster
