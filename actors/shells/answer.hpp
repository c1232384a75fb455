// An answer that is given exactly once. It travels in messages of this process; any thread may hold, give or
// drop it.
#pragma once

#include <atomic>
#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <muster/messages/values/status.hpp>

namespace muster {

/// A callback whose copies share one promise: the first call counts, the others do nothing. When the last copy
/// goes without a call (the message was lost with a mailbox, its receiver had ended before), the callback
/// hears `cancelled`, on the thread that dropped it. The callback must not block or throw.
template <class... Ts>
class answer {
 public:
  answer() = default;

  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, answer> && std::invocable<F&, status, Ts...>)
      answer(F give)
      : once_(std::make_shared<once>(std::move(give))) {}  // NOLINT: a function is an answer

  [[nodiscard]] explicit operator bool() const { return once_ != nullptr; }

  void operator()(status outcome, Ts... values) const {
    if (once_) once_->give(std::move(outcome), std::move(values)...);
  }

 private:
  struct once {
    explicit once(std::function<void(status, Ts...)> f) : function(std::move(f)) {}
    ~once() {
      give(error(status_code::cancelled, "dropped before it was answered: its receiver has ended"),
           Ts{}...);
    }
    once(const once&) = delete;
    once& operator=(const once&) = delete;
    void give(status outcome, Ts... values) {
      if (!given.exchange(true)) function(std::move(outcome), std::move(values)...);
    }
    std::atomic<bool> given = false;
    std::function<void(status, Ts...)> function;
  };
  std::shared_ptr<once> once_;
};

}  // namespace muster
