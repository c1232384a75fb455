// The inside of a host handle: what every operation needs to be started. Internal to the runtime.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <caf/send.hpp>

#include <muster/actors/shells/host_messages.hpp>
#include <muster/runtime/host.hpp>

namespace muster {

/// Which thread orders this host's operations, and how many of them are pending. Any thread.
class ordered_calls : public std::enable_shared_from_this<ordered_calls> {
 public:
  /// Counts a call for as long as what it returns is held; refuses a second thread meanwhile.
  result<std::shared_ptr<void>> enter(std::string_view what);

 private:
  std::mutex mutex_;
  std::size_t pending_ = 0;
  std::thread::id by_;
};

struct host::state {
  explicit state(host_parts p) : parts(std::move(p)) {}
  ~state();

  host_parts parts;
  std::shared_ptr<ordered_calls> ordered = std::make_shared<ordered_calls>();
  std::atomic<std::uint64_t> tickets{0};
  std::atomic<bool> closed{false};

  /// Starts one operation: the promise, the ticket, the wish to cancel, the bookkeeping of ordered calls.
  /// `convert` makes a result<T> of the verdict's contribution. Without `given` the contribution follows
  /// under the ticket that `started` gets; that stays 0 when the call is refused.
  template <class T, class Convert>
  op<T> start(signature said, deadlines remaining, std::optional<contribution> given,
              Convert convert, ticket* started = nullptr);
  /// One that gives nothing and results in nothing.
  op<void> start_empty(signature said, const operation_options& o);
  /// A reduction (host_reduce.cpp): its contribution is made on the devices and follows.
  template <class T, class Convert>
  op<T> reduce(signature said, std::span<const device_cover> covers, deadlines remaining,
               Convert convert);
};

signature says(op_kind kind, std::string_view name = {});
/// Writes down who takes part. invalid_argument when one is named twice.
status among(std::span<const rank> group, signature&);

template <class T, class Convert>
op<T> host::state::start(signature said, deadlines remaining, std::optional<contribution> given,
                         Convert convert, ticket* started) {
  const std::string what = to_string(said);
  if (closed)
    return op<T>::completed(error(status_code::unavailable, what + ": this host is closed"));
  std::shared_ptr<void> counted;
  if (!is_named(said.kind)) {
    auto entered = ordered->enter(what);
    if (!entered) return op<T>::completed(entered.why());
    counted = std::move(*entered);
  }
  op_promise<T> ended;
  if (parts.driven) ended.drive_with(parts.driver);
  const ticket which{++tickets};
  ended.on_cancel([actor = parts.actor, which,
                   cause = what + ": rank " + to_string(parts.self) + " cancelled it"] {
    caf::anon_send(actor, cancel_operation{which, error(status_code::cancelled, cause)});
  });
  auto out = ended.get_op();
  // Holds nothing of the handle, which may be gone by then. The count goes first: whoever hears of the end
  // may call the next one from another thread.
  auto done = [ended, counted = std::make_shared<std::shared_ptr<void>>(std::move(counted)),
               convert = std::move(convert)](status outcome, contribution made) {
    counted->reset();
    if (outcome.ok())
      ended.complete(convert(std::move(made)));
    else
      ended.complete(std::move(outcome));
  };
  if (started) *started = which;
  caf::anon_send(parts.actor, start_operation{which, std::move(said), remaining, std::move(given),
                                              std::move(done)});
  return out;
}

}  // namespace muster
