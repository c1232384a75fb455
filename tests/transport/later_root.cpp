#include <muster/tests/transport/later_root.hpp>

#include <zmq.h>

#include <cstdlib>
#include <string>

#include <muster/messages/wire/hello.hpp>

namespace muster::testing {

later_root::later_root(int port) : context_(zmq_ctx_new()) {
  for (auto& lane : lanes_) {
    lane = zmq_socket(context_, ZMQ_ROUTER);
    const auto at = "tcp://127.0.0.1:" + std::to_string(port++);
    if (zmq_bind(lane, at.c_str()) != 0) std::abort();
  }
}

later_root::~later_root() {
  for (auto* lane : lanes_) zmq_close(lane);
  zmq_ctx_term(context_);
}

bool later_root::answer_once() {
  constexpr int patience_ms = 60'000;
  zmq_pollitem_t both[] = {{lanes_[0], 0, ZMQ_POLLIN, 0}, {lanes_[1], 0, ZMQ_POLLIN, 0}};
  if (zmq_poll(both, 2, patience_ms) <= 0) return false;
  auto* from = lanes_[both[0].revents != 0 ? 0 : 1];
  char caller[256], said[4096];
  const int caller_bytes = zmq_recv(from, caller, sizeof caller, 0);
  if (caller_bytes <= 0 || zmq_recv(from, said, sizeof said, 0) <= 0) return false;
  const auto frame = encode_answer(welcome{rank{0}, {}, protocol_version_max + 1});
  zmq_send(from, caller, static_cast<std::size_t>(caller_bytes), ZMQ_SNDMORE);
  return zmq_send(from, frame.data(), frame.size(), 0) > 0;
}

}  // namespace muster::testing
