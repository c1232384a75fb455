// The transport over ZeroMQ: one context, a bound ROUTER per lane, a DEALER per lane and peer. Made
// on any thread and then used by one; libzmq's own I/O threads are behind it.
#pragma once

#include <memory>
#include <string>

#include <muster/messages/transport/transport.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

struct zmq_options {
  /// Where we listen: "tcp://<interface or address>:<port>", port "*" for any free one;
  /// "ipc://<path>".
  std::string bind_control = "tcp://127.0.0.1:*";
  std::string bind_bulk = "tcp://127.0.0.1:*";
  /// Where peers dial us, for example "tcp://node7:*"; port "*" stands for the bound one. Empty:
  /// the bound address, which must then be one that can be dialled.
  std::string advertise_control{};
  std::string advertise_bulk{};
  /// Threads of libzmq. One moves about 3 GB/s.
  int io_threads = 1;
  /// Messages queued on one lane to one peer; both ends keep that many, and the kernel some bytes.
  int lane_queue_max = limits::lane_queue_max;
};

/// Binds both lanes. `invalid_argument` for an address that can't be parsed, advertised or bound,
/// with the address and the system's reason; `resource_exhausted` when descriptors run out.
result<std::unique_ptr<transport>> make_zmq_transport(transport_identity identity,
                                                      zmq_options options = {});

}  // namespace muster
