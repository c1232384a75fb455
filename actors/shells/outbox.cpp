#include <muster/actors/shells/outbox.hpp>

#include <utility>

#include <muster/messages/values/limits.hpp>

namespace muster {

outbox::outcome outbox::send(transport& over, rank to, lane on, encoded what) {
  auto queue = waiting_.find({to, on});
  if (queue == waiting_.end()) {
    switch (over.send(to, on, what.header, what.frames)) {
      case send_result::sent: return outcome::sent;
      case send_result::no_link: return outcome::no_link;
      case send_result::too_large: return outcome::too_large;
      case send_result::would_block: break;
    }
    queue = waiting_.try_emplace({to, on}).first;
  }
  if (queue->second.size() >= limits::outbox_messages_max) {
    waiting_.erase(queue);
    return outcome::overflow;
  }
  queue->second.push_back(std::move(what));
  return outcome::queued;
}

void outbox::flush(transport& over, rank to, lane on) {
  auto queue = waiting_.find({to, on});
  if (queue == waiting_.end()) return;
  auto& messages = queue->second;
  while (!messages.empty()) {
    auto& first = messages.front();
    auto result = over.send(to, on, first.header, first.frames);
    if (result == send_result::would_block) return;
    if (result == send_result::no_link) break;
    messages.pop_front();
  }
  waiting_.erase(queue);
}

std::size_t outbox::waiting(rank for_peer) const {
  std::size_t out = 0;
  for (const auto on : {lane::control, lane::bulk})
    if (const auto queue = waiting_.find({for_peer, on}); queue != waiting_.end())
      out += queue->second.size();
  return out;
}

}  // namespace muster
