// What waits to be sent: messages whose lane was full, per peer and in order, until the transport says
// `writable`. Belongs to one host actor; used by its thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include <muster/messages/transport/transport.hpp>
#include <muster/messages/wire/codec.hpp>

namespace muster {

class outbox {
 public:
  enum class outcome : std::uint8_t {
    sent,
    queued,     // goes out when the lane is writable
    no_link,    // dropped: a protocol says its state again when the link is up
    too_large,  // dropped: beyond the transport's limits
    overflow,  // limits::outbox_messages_max: nothing is kept for this peer; re-make the link, which says all again
  };

  outcome send(transport&, rank to, lane, encoded what);
  /// Sends what waits for this peer on this lane, as far as that takes it.
  void flush(transport&, rank to, lane);
  /// The link's life has ended, and with it the meaning of what waits.
  void drop(rank to) {
    waiting_.erase({to, lane::control});
    waiting_.erase({to, lane::bulk});
  }
  [[nodiscard]] std::size_t waiting(rank for_peer) const;

 private:
  std::map<std::pair<rank, lane>, std::deque<encoded>> waiting_;
};

}  // namespace muster
