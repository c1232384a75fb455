// The data of one operation on its way between hosts: streams of chunks, each passed on as it comes, never more of a
// stream in flight to a peer than its window. Links may be made again at any time: the sender goes back to what was
// acknowledged. A pure core, as the collective is: it moves handles, the bytes are stored elsewhere. One thread at a
// time.
//
//     source ── chunk ──> relay ── chunk ──> last
//            <── ack ───        <── ack ───          an ack says: stored here, and passed on
//
// Invariants, checked in the tests after every step:
//   X1  a stream's bytes are stored in order, each once
//   X2  what is sent to a peer and not acknowledged is at most a window, and a host keeps no more of a stream that it
//       passes on than that, and what its own storing lags behind
//   X3  when every link stays up long enough, every stream ends
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <variant>
#include <vector>

#include <muster/actors/protocols/exchange_plan.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/payload.hpp>

namespace muster {

struct bulk_options {
  std::size_t chunk_bytes = limits::chunk_bytes;
  std::size_t window_bytes = limits::stream_window_bytes_max;  // per stream and peer
};

// ---- effects

struct send_chunk {
  rank to{};
  std::uint32_t stream = 0;
  std::uint64_t offset = 0;
  payload bytes;
};
struct send_chunk_ack {
  rank to{};
  std::uint32_t stream = 0;
  std::uint64_t offset = 0;
};
/// Put these bytes at this place of the stream's memory, in the order of these effects, and say `stored`.
struct store_chunk {
  std::uint32_t stream = 0;
  std::uint64_t offset = 0;
  payload bytes;
};
/// All of the stream is stored here.
struct stream_stored {
  std::uint32_t stream = 0;
};
using bulk_effect = std::variant<send_chunk, send_chunk_ack, store_chunk, stream_stored>;
using bulk_effects = std::vector<bulk_effect>;

class bulk_exchange {
 public:
  /// What a peer may have in flight to us on all streams of one operation.
  static constexpr std::size_t early_bytes_max =
      limits::bulk_window_bytes + limits::direct_hosts_max * limits::stream_window_bytes_min;

  explicit bulk_exchange(bulk_options options = {}) : options_(options) {}
  /// For what is sent from now on; before the first stream is added.
  void use(bulk_options options) { options_ = options; }

  /// A stream that passes here. At its source `content` is all of it, in pieces. Once per id.
  bulk_effects add(const stream_plan&, std::vector<payload> content = {});

  /// From a peer. What is no part of a stream here, or comes again, or out of order, means nothing. A stream that is not
  /// added yet is kept for, up to early_bytes_max per peer.
  bulk_effects received(rank from, std::uint32_t stream, std::uint64_t offset, payload bytes);
  bulk_effects acknowledged(rank from, std::uint32_t stream, std::uint64_t offset);
  /// The stream's bytes up to here are where they belong.
  bulk_effects stored(std::uint32_t stream, std::uint64_t offset);
  /// A new life of our link to that peer is up.
  bulk_effects connected(rank peer);

  /// Every stream that is added and comes from elsewhere is stored here.
  [[nodiscard]] bool all_stored() const;
  /// Bytes of chunks that are kept here to be sent again, or for a stream that is not added yet.
  [[nodiscard]] std::size_t kept_bytes() const;

 private:
  struct peer {
    rank who{};
    std::uint64_t sent = 0;
    std::uint64_t acked = 0;
  };
  struct piece {
    std::uint64_t offset = 0;
    payload bytes;
    [[nodiscard]] std::uint64_t end() const { return offset + bytes.size(); }
  };
  struct stream {
    stream_plan plan;
    std::deque<piece> pieces;    // at the source all, else what a peer may need yet
    std::uint64_t received = 0;  // contiguous
    std::uint64_t stored = 0;
    std::uint64_t told = 0;  // acknowledged to `from`
    std::vector<peer> peers;
  };
  struct early {
    rank from{};
    std::uint32_t stream = 0;
    std::uint64_t offset = 0;
    payload bytes;
  };

  void pump(stream&, bulk_effects&) const;
  void forget(stream&) const;
  void acknowledge(stream&, bulk_effects&) const;
  stream* find(std::uint32_t id);

  bulk_options options_;
  std::map<std::uint32_t, stream> streams_;
  std::vector<early> early_;
};

}  // namespace muster
