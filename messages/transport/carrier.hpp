// What carries a transport's links: connections and the messages on them, without ranks, lives or
// hellos. ZeroMQ and the simulated network each are a carrier; linked_transport makes a transport
// of one. Used by the transport's thread only; nothing but close() blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <muster/messages/transport/transport.hpp>
#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/payload.hpp>
#include <muster/messages/values/status.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

/// A connection that we opened: one lane of one life of a link. Chosen by the user of the carrier,
/// never reused.
using pipe_id = strong_id<struct pipe_tag, std::uint64_t>;

/// A connection that somebody opened to us. Opaque, unique per lane for as long as the carrier
/// lives.
struct caller_id {
  muster::lane lane;
  std::string key;
  friend auto operator<=>(const caller_id&, const caller_id&) = default;
};

/// The listener answered on a pipe.
struct pipe_answered {
  pipe_id pipe;
  payload answer;
};
/// The pipe is broken or never came to be; its queue is lost.
struct pipe_lost {
  pipe_id pipe;
  std::string why;
};
/// A pipe that was full has room again.
struct pipe_room {
  pipe_id pipe;
};
/// A whole message from a caller, in order.
struct caller_spoke {
  caller_id caller;
  payload header;
  std::vector<payload> frames;
};
/// Something reached us that was no message, or beyond the limits; it is gone.
struct nonsense {};

using carrier_event = std::variant<pipe_answered, pipe_lost, pipe_room, caller_spoke, nonsense>;

class carrier {
 public:
  virtual ~carrier() = default;

  /// Where peers dial us (advertised).
  [[nodiscard]] virtual endpoints local() const = 0;

  /// Begins to connect. Messages may be put at once; a failure comes later as `pipe_lost`, or now
  /// as a status.
  virtual status open(time_point now, pipe_id, lane, const std::string& endpoint) = 0;
  /// Queues a message; false when the pipe is full, and `pipe_room` will follow.
  virtual bool put(pipe_id, const payload& header, std::span<const payload> frames) = 0;
  /// Ends a pipe with its queue. An event of it that was on its way may follow and means nothing.
  virtual void shut(pipe_id) = 0;

  /// Answers a caller that is welcome from now on. Both of these are about the caller that was
  /// taken last.
  virtual void welcome(const caller_id&, payload answer) = 0;
  /// Turns a caller away, with an answer if it deserves one. More may come from it until it is
  /// gone.
  virtual void turn_away(const caller_id&, std::optional<payload> answer) = 0;

  /// The next thing that happened, if there is one.
  virtual std::optional<carrier_event> take(time_point now) = 0;
  /// take() may have something although descriptor() is quiet.
  [[nodiscard]] virtual bool ready() const = 0;
  [[nodiscard]] virtual std::optional<time_point> deadline() const = 0;
  [[nodiscard]] virtual int descriptor() const = 0;

  /// Ends every pipe; what is queued on `lingering` ones has limits::linger_max to leave.
  /// Idempotent.
  virtual void close(std::span<const pipe_id> lingering) = 0;
};

}  // namespace muster
