// The transport: links to peers, one per direction and life, on two lanes. Used by one thread only, the
// reactor's (or the simulator's driver); nothing here blocks.
//
// A link is simplex: we dial a peer and send to it; what it sends to us comes over the link that it
// dialled. A link has one life:
//
//     dial() ──> dialling ──hello, welcome on both lanes──> up ──reset, error, hang_up()──> down
//                   └────────refused, no answer─────────────────────────────────────────────┘
//
// and after `down` the transport dials the same peer again by itself, with bounded back-off, until
// hang_up() or close(). What was queued when a life ended is gone: a protocol sends its state again when
// it hears `link_up`. Within one life frames arrive in order per lane, and the receiver reports the
// sender's hello (`peer_heard`) before its first frame. Frames of an older life of the same peer are
// dropped once a newer one has said hello.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/payload.hpp>
#include <muster/messages/values/status.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

enum class lane : std::uint8_t { control = 0, bulk = 1 };

struct endpoints {
  std::string control;
  std::string bulk;
  friend bool operator==(const endpoints&, const endpoints&) = default;
};

/// Who we are to our peers; goes into our hello.
struct transport_identity {
  std::string job;
  std::string credential;  // compared, never logged or sent back
  rank self{};
  muster::incarnation incarnation;
};

// ---- events

/// Our link to `peer` is up: it answered our hello on both lanes.
struct link_up {
  rank peer;
};

/// Our link to `peer` is down and will be dialled again. `attempts` counts the dials since the last life
/// that was up; `why` is a sentence ("connection refused", "closed by peer", "no welcome within 5 s").
struct link_down {
  rank peer;
  std::string why;
  std::uint32_t attempts = 0;
};

/// `peer` refused our hello; it is dialled no more until dial() is called again.
struct link_refused {
  rank peer;
  status why;
};

/// A peer's link to us said a valid hello: who it is and where it can be dialled back.
struct peer_heard {
  rank peer;
  muster::incarnation incarnation;
  muster::endpoints endpoints;
};

/// One message: the header and its payload frames, not yet decoded.
struct message_received {
  rank peer;
  muster::lane lane;
  payload header;
  std::vector<payload> frames;
};

/// A send to this peer on this lane that was answered would_block may be tried again.
struct writable {
  rank peer;
  muster::lane lane;
};

using transport_event =
    std::variant<link_up, link_down, link_refused, peer_heard, message_received, writable>;

/// Counted, never fatal: what came from outside and made no sense.
struct transport_counters {
  std::uint64_t messages_sent = 0, messages_received = 0, bytes_sent = 0, bytes_received = 0;
  std::uint64_t garbage = 0;  // not an envelope, a wrong magic, too large, a missing or late hello
  std::uint64_t foreign = 0;  // another job, credential or version
  std::uint64_t stale = 0;    // frames of an older life or incarnation
  std::uint64_t would_block = 0;
  std::uint64_t dials = 0, lives = 0;
};

enum class send_result : std::uint8_t {
  sent,         // queued on a live link; it may still be lost with that life
  would_block,  // the lane's queue is full; `writable` will be reported
  no_link,      // no live link to this peer; nothing is kept
  too_large,    // beyond limits::envelope_bytes_max, header_bytes_max or payload_frames_max
};

class transport {
 public:
  virtual ~transport() = default;

  /// Where peers dial us (advertised, both lanes).
  [[nodiscard]] virtual muster::endpoints local() const = 0;

  /// Keep a link to `peer` at that address, for a peer that lives there. Again with another address or
  /// incarnation: hangs up and dials that. An incarnation, when given, must match the peer's welcome.
  virtual void dial(time_point now, rank peer, muster::endpoints where,
                    std::optional<muster::incarnation> who = std::nullopt) = 0;
  virtual void hang_up(rank peer) = 0;

  /// Queues header and frames as one message; the bytes are shared, not copied.
  virtual send_result send(rank peer, muster::lane lane, payload header,
                           std::span<const payload> frames) = 0;

  /// What has happened, oldest first, at most limits::step_messages_max events and about
  /// limits::step_bytes_max bytes. An empty answer means that nothing is ready now.
  virtual std::vector<transport_event> poll(time_point now) = 0;

  /// When poll() should be called even if `descriptor()` stays quiet (redials, hello time-outs).
  [[nodiscard]] virtual std::optional<time_point> deadline() const = 0;

  /// Readable when poll() may have something; -1 where there is none (the simulator wakes its driver
  /// itself). Only to be waited for after poll() has returned nothing.
  [[nodiscard]] virtual int descriptor() const = 0;

  [[nodiscard]] virtual const transport_counters& counters() const = 0;

  /// Lets what is queued leave for at most limits::linger_max, then closes everything. Blocks up to that
  /// long in the zmq transport; idempotent. No other function may be called afterwards.
  virtual void close() = 0;
};

}  // namespace muster
