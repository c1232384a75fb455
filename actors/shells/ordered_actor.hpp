// An actor whose messages the thread sanitizer understands. What a sender wrote before it sent comes before what
// the handler does: CAF's mailbox promises that, but in a library that Debian compiles without the sanitizer, which
// would otherwise have to be deaf to every race in a handler. Without the sanitizer this is an event_based_actor.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include <caf/actor_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/mailbox_element.hpp>

namespace muster {

class ordered_actor : public caf::event_based_actor {
 public:
  using caf::event_based_actor::event_based_actor;

  /// The sender's thread.
  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* unit) override {
    sent();
    caf::event_based_actor::enqueue(std::move(element), unit);
  }
  void enqueue(caf::strong_actor_ptr from, caf::message_id id, caf::message content,
               caf::execution_unit* unit) override {
    enqueue(caf::make_mailbox_element(std::move(from), id, {}, std::move(content)), unit);
  }

 protected:
  /// First thing in a handler that reads what its message refers to.
#ifdef __SANITIZE_THREAD__
  void after_sender() const { (void)messages_.load(std::memory_order_acquire); }

 private:
  void sent() { messages_.fetch_add(1, std::memory_order_release); }
  std::atomic<std::uint64_t> messages_ = 0;
#else
  void after_sender() const {}

 private:
  void sent() {}
#endif
};

}  // namespace muster
