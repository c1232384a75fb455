// Private to the box: owners of libzmq's context, sockets and messages. One thread each, as libzmq
// asks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <zmq.h>

#include <muster/messages/values/payload.hpp>

namespace muster {

/// Terminated when dropped, which waits for the linger of sockets that were closed before; all must
/// be.
struct zmq_context_deleter {
  void operator()(void* context) const { zmq_ctx_term(context); }
};
using zmq_context = std::unique_ptr<void, zmq_context_deleter>;

/// A whole message as it came, without a copy: its parts own libzmq's memory.
struct zmq_parts {
  std::vector<payload> parts;
  int source_fd = -1;  // the connection it came over, as the doorkeeper knows it; -1 if unknown
  bool too_many = false;
};

enum class put_result : std::uint8_t {
  queued,
  full,    // nothing was queued; try again when events() has ZMQ_POLLOUT
  broken,  // nobody to queue it for
};

class zmq_socket {
 public:
  zmq_socket() = default;
  zmq_socket(zmq_context& context, int type) : handle_(zmq_socket_open(context.get(), type)) {}

  explicit operator bool() const { return handle_ != nullptr; }
  [[nodiscard]] void* get() const { return handle_.get(); }
  void close() { handle_.reset(); }

  /// Options that are ints; a value that libzmq refuses is our bug.
  void set(int option, int value);
  void set(int option, std::int64_t value);
  [[nodiscard]] int events()
      const;  // ZMQ_POLLIN, ZMQ_POLLOUT; looks at what libzmq's threads have told
  [[nodiscard]] int fd() const;
  [[nodiscard]] std::string last_endpoint() const;

  /// The next message, if one is there. Afterwards there is none until fd() is readable again.
  std::optional<zmq_parts> receive();

  /// `prefix`, header and frames as one message. Bytes of more than a few cache lines are shared,
  /// not copied.
  put_result put(std::optional<std::string_view> prefix, const payload& header,
                 std::span<const payload> frames);

 private:
  struct closer {
    void operator()(void* socket) const { zmq_close(socket); }
  };
  static void* zmq_socket_open(void* context, int type) { return ::zmq_socket(context, type); }
  std::unique_ptr<void, closer> handle_;
};

}  // namespace muster
