#include <muster/messages/transport/zmq/zmq_handles.hpp>

#include <cerrno>
#include <cstring>
#include <new>

#include <muster/messages/values/ensure.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

// Below this a copy costs less than a shared block and its release on libzmq's thread.
constexpr std::size_t copied_bytes_max = 512;

struct owned_message {
  zmq_msg_t m;
  owned_message() { zmq_msg_init(&m); }
  ~owned_message() { zmq_msg_close(&m); }
  owned_message(const owned_message&) = delete;
  owned_message& operator=(const owned_message&) = delete;
};

void release(void*, void* hint) { delete static_cast<payload*>(hint); }

void fill(zmq_msg_t& message, const payload& from) {
  zmq_msg_close(&message);
  if (from.size() <= copied_bytes_max) {
    if (zmq_msg_init_size(&message, from.size()) != 0) throw std::bad_alloc{};
    if (!from.empty()) std::memcpy(zmq_msg_data(&message), from.data(), from.size());
    return;
  }
  auto owner = std::make_unique<payload>(from);
  auto* bytes = const_cast<std::byte*>(owner->data());  // libzmq asks for void*, and only reads
  if (zmq_msg_init_data(&message, bytes, from.size(), release, owner.get()) != 0)
    throw std::bad_alloc{};
  owner.release();
}

int send_part(void* socket, zmq_msg_t& message, bool more) {
  int rc = -1;
  do rc = zmq_msg_send(&message, socket, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0));
  while (rc == -1 && errno == EINTR);
  return rc;
}

int receive_part(void* socket, zmq_msg_t& message) {
  int rc = -1;
  do rc = zmq_msg_recv(&message, socket, ZMQ_DONTWAIT);
  while (rc == -1 && errno == EINTR);
  return rc;
}

payload adopt(std::shared_ptr<owned_message> message) {
  const auto* bytes = static_cast<const std::byte*>(zmq_msg_data(&message->m));
  const std::size_t size = zmq_msg_size(&message->m);
  return {std::move(message), {bytes, size}};
}

}  // namespace

void zmq_socket::set(int option, int value) {
  ensure(zmq_setsockopt(get(), option, &value, sizeof value) == 0, "a ZeroMQ option");
}

void zmq_socket::set(int option, std::int64_t value) {
  ensure(zmq_setsockopt(get(), option, &value, sizeof value) == 0, "a ZeroMQ option");
}

int zmq_socket::events() const {
  int value = 0;
  std::size_t size = sizeof value;
  return zmq_getsockopt(get(), ZMQ_EVENTS, &value, &size) == 0 ? value : 0;
}

int zmq_socket::fd() const {
  int value = -1;
  std::size_t size = sizeof value;
  return zmq_getsockopt(get(), ZMQ_FD, &value, &size) == 0 ? value : -1;
}

std::string zmq_socket::last_endpoint() const {
  std::string value(limits::endpoint_bytes_max, '\0');
  std::size_t size = value.size();
  if (zmq_getsockopt(get(), ZMQ_LAST_ENDPOINT, value.data(), &size) != 0 || size == 0) return {};
  value.resize(size - 1);
  return value;
}

std::optional<zmq_parts> zmq_socket::receive() {
  zmq_parts out;
  for (bool more = true; more;) {
    auto part = std::make_shared<owned_message>();
    if (receive_part(get(), part->m) == -1)
      return std::nullopt;  // only the first part can be missing
    more = zmq_msg_more(&part->m) != 0;
    if (out.parts.size() == 1) out.source_fd = zmq_msg_get(&part->m, ZMQ_SRCFD);
    if (out.parts.size() >= limits::payload_frames_max + 2)
      out.too_many = true;
    else
      out.parts.push_back(adopt(std::move(part)));
  }
  return out;
}

put_result zmq_socket::put(std::optional<std::string_view> prefix, const payload& header,
                           std::span<const payload> frames) {
  owned_message part;
  const auto failed = [](bool first) {
    return first && errno == EAGAIN ? put_result::full : put_result::broken;
  };
  if (prefix) {
    fill(part.m, payload::copy_of(*prefix));
    if (send_part(get(), part.m, true) == -1) return failed(true);
  }
  fill(part.m, header);
  if (send_part(get(), part.m, !frames.empty()) == -1) return failed(!prefix);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    fill(part.m, frames[i]);
    if (send_part(get(), part.m, i + 1 < frames.size()) == -1) return failed(false);
  }
  return put_result::queued;
}

}  // namespace muster
