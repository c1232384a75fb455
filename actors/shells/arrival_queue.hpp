// The order of a host's calls: an ordered operation whose contribution is still being made on a device
// holds up the ordered ones behind it, since their place in the order is what they match by. Named ones
// pass. Used by one thread.
#pragma once

#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include <muster/actors/protocols/collective.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

class arrival_queue {
 public:
  /// An arrival that may go to the core now. `failure` is what became of its contribution: when it is not
  /// ok the operation arrives all the same, so that it keeps its place, and is then made to fail.
  struct ready {
    muster::arrive arrive;
    status failure;
  };

  /// `contribution` is made later when `prepared` is false.
  void call(time_point now, muster::arrive arrive, bool prepared);
  /// The contribution, or why there is none. False: no such call waits here.
  bool prepare(ticket, status outcome, contribution);
  /// The call is to fail with this cause, whether its contribution is made or not. False as above.
  bool fail(ticket, status cause);

  /// The next arrival that may go, in order; one whose hard deadline has come while its contribution was
  /// being made goes as failed.
  std::optional<ready> next(time_point now);

  /// Calls whose hard deadline has come while they stood behind another one: they end now with this
  /// status. Each still arrives in its turn, as failed, so that it can succeed nowhere.
  std::vector<std::pair<ticket, status>> overdue(time_point now);

  [[nodiscard]] std::optional<time_point> deadline() const;
  [[nodiscard]] std::size_t size() const { return waiting_.size(); }

 private:
  struct entry {
    muster::arrive arrive;
    time_point soft;  // arrive.remaining as instants, since time passes here
    time_point hard;
    bool prepared = false;
    bool told = false;  // ended for its caller
    status failure;
  };
  std::deque<entry>
      waiting_;  // bounded by limits::pending_operations_max, which the host actor checks
};

}  // namespace muster
