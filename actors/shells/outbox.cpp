#include <muster/actors/shells/outbox.hpp>

#include <utility>

#include <muster/messages/values/limits.hpp>

namespace muster {

outbox::outcome outbox::send(transport& over, rank to, encoded what) {
  auto queue = waiting_.find(to);
  if (queue == waiting_.end()) {
    switch (over.send(to, lane::control, what.header, what.frames)) {
      case send_result::sent: return outcome::sent;
      case send_result::no_link: return outcome::no_link;
      case send_result::too_large: return outcome::too_large;
      case send_result::would_block: break;
    }
    queue = waiting_.try_emplace(to).first;
  }
  if (queue->second.size() >= limits::outbox_messages_max) {
    waiting_.erase(queue);
    return outcome::overflow;
  }
  queue->second.push_back(std::move(what));
  return outcome::queued;
}

void outbox::flush(transport& over, rank to) {
  auto queue = waiting_.find(to);
  if (queue == waiting_.end()) return;
  auto& messages = queue->second;
  while (!messages.empty()) {
    auto& first = messages.front();
    auto result = over.send(to, lane::control, first.header, first.frames);
    if (result == send_result::would_block) return;
    if (result == send_result::no_link) break;
    messages.pop_front();
  }
  waiting_.erase(queue);
}

std::size_t outbox::waiting(rank for_peer) const {
  auto queue = waiting_.find(for_peer);
  return queue == waiting_.end() ? 0 : queue->second.size();
}

}  // namespace muster
