// One operation's data on its way at one host: which streams it has, where their bytes are put, and what becomes of
// them. It says what to send, copy and fold; the host actor carries that out. Used by its thread only; the copies that
// it orders may run on any other.
//
//   broadcasts   one stream to all              gathers      a stream from each member, to all or to the target
//   reductions   each member owns a slice of the elements: all send it their partials of that slice, it folds them,
//                and what it has made goes to all or to the target. Elements are independent, so the bits are those of
//                one fold of everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <muster/actors/protocols/bulk_exchange.hpp>
#include <muster/messages/values/control.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

class bulk_move {
 public:
  /// To be run on a device, in order; then `stored` is to be called with the other two.
  struct copy {
    std::function<void()> run;
    std::uint32_t stream = 0;
    std::uint64_t end = 0;
  };
  /// To be folded to the end on a device; then `folded` is to be called.
  struct fold_slice {
    signature said;
    std::vector<contribution> inputs;
  };
  struct orders {
    std::vector<send_chunk> chunks;
    std::vector<send_chunk_ack> acks;
    std::vector<copy> copies;
    std::optional<fold_slice> fold;
    std::optional<status> finished;  // once: all is here, or it can't be
  };

  /// What comes before `begin` is kept, within bounds.
  bulk_move();
  ~bulk_move();
  bulk_move(bulk_move&&) noexcept;
  bulk_move& operator=(bulk_move&&) noexcept;

  /// `given` is what this host holds; `held` what all do, in rank order.
  orders begin(const signature& said, std::vector<held_part> held, const rank_set& members,
               rank self, contribution given);
  [[nodiscard]] bool begun() const;

  orders received(rank from, const chunk&);
  orders acknowledged(rank from, const chunk_ack&);
  orders stored(std::uint32_t stream, std::uint64_t end);
  orders folded(const status& outcome, const contribution& made);
  orders connected(rank peer);

  /// Whom this host sends to, chunks or acknowledgements.
  [[nodiscard]] const std::set<rank>& peers() const;
  /// Once finished: as the operation's verdict would have it.
  [[nodiscard]] contribution result() const;

  /// Whether a contribution is to be held back: the same answer at every host for a reduction, whose partials have one
  /// size. Of the other kinds any host may hold back.
  static bool holds_back(const signature& said, const contribution& given);
  /// What is said of it instead.
  static contribution stand_in(const signature& said, const contribution& given, rank self);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace muster
