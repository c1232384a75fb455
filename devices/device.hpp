// A device: memory, streams that run launches in order, and events that say what is done. Shaped by CUDA's
// asynchronous model, so that a back end may answer later and fail late. All functions return at once;
// one thread (the device actor's) calls them, except where a comment says otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <muster/devices/fold_launch.hpp>
#include <muster/messages/values/payload.hpp>
#include <muster/messages/values/status.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

/// Memory of a device. Owner: freed in stream order when dropped, by any thread. Not copyable.
class device_buffer {
 public:
  struct block {  // back ends derive from it
    virtual ~block() = default;
    std::byte* data = nullptr;  // device address
    std::size_t bytes = 0;
  };
  device_buffer() = default;
  explicit device_buffer(std::unique_ptr<block> b) : block_(std::move(b)) {}
  [[nodiscard]] std::byte* data() const { return block_ ? block_->data : nullptr; }
  [[nodiscard]] std::size_t size() const { return block_ ? block_->bytes : 0; }

 private:
  std::unique_ptr<block> block_;
};

/// A point in a stream's order. Copyable handle.
class device_event {
 public:
  struct state {  // back ends derive from it
    virtual ~state() = default;
  };
  device_event() = default;
  explicit device_event(std::shared_ptr<state> s) : state_(std::move(s)) {}
  [[nodiscard]] state* get() const { return state_.get(); }

 private:
  std::shared_ptr<state> state_;
};

enum class event_progress : std::uint8_t { pending, done, failed };

/// A function that runs on the device's stream, in stream order. On the CPU back end it runs on the
/// device's own thread with rounding, FTZ and DAZ set (see order.hpp); it must not throw: what it throws
/// fails the device as a kernel's error would.
using host_kernel = std::function<void()>;

struct device_counters {
  std::uint64_t launches = 0;
  std::uint64_t bytes_reduced = 0;  // input bytes of reductions and combines
  duration busy{};                  // time in launches, by the back end's clock
};

class device {
 public:
  virtual ~device() = default;

  [[nodiscard]] virtual std::string_view kind() const = 0;  // "cpu", "cuda:0", "simulated"

  // What queues work answers resource_exhausted when limits::device_queue_max are waiting, which passes, and
  // failure() after the device has failed, which stays; then nothing was queued.

  /// Uninitialised memory, aligned to 64 bytes. resource_exhausted when there is no more.
  virtual result<device_buffer> allocate(std::size_t bytes) = 0;

  /// Stream-ordered copies: all of `from` to the beginning of `to`, and the beginning of `from` until `to` is
  /// full; invalid_argument when the buffer is smaller. Source and target must live until an event recorded
  /// after them is done.
  virtual status copy_in(device_buffer& to, bytes_view from) = 0;
  virtual status copy_out(std::span<std::byte> to, const device_buffer& from) = 0;

  /// The same without a copy where host and device share memory, with ownership handed over instead of
  /// lifetimes promised. `share_in`: launches may read the bytes from now on, none may write them; aligned
  /// to 16 bytes. `share_out`: the bytes may be read once an event recorded after this is done.
  virtual result<device_buffer> share_in(payload from) = 0;
  virtual result<payload> share_out(device_buffer from) = 0;

  /// Queues a function. `name` goes into errors and traces; `bytes_reduced` into the counters.
  virtual status launch(std::string_view name, host_kernel kernel,
                        std::size_t bytes_reduced = 0) = 0;

  /// Queues a fold, computed by the rules of order.hpp. An input is nowhere an output.
  virtual status launch(fold_launch fold) = 0;

  /// The point after everything queued so far. Done at once when nothing is queued; then it wakes nobody.
  virtual device_event record() = 0;

  /// Never waits. `failed` when anything before the event failed; `failure()` then says what. After `done`
  /// everything before the event has run, its functions are destroyed, and this thread sees what they wrote.
  [[nodiscard]] virtual event_progress query(const device_event&) const = 0;

  /// The first error of this device, sticky, or ok. Any thread.
  [[nodiscard]] virtual status failure() const = 0;

  /// `wake` is called whenever a recorded event may have become done or failed, from any thread, soon
  /// after; it must not block or call back into the device. Set it once, before the first launch.
  virtual void on_progress(std::function<void()> wake) = 0;

  [[nodiscard]] virtual device_counters counters() const = 0;  // any thread

  /// Drops what has not begun and waits for what runs, at most limits::device_close_max; a kernel that takes
  /// longer is left to its thread, with the memory that the device gave it. From then on the device has
  /// failed (`cancelled`, unless it had failed before), and its counters can still be read. Idempotent; the
  /// destructor does it too.
  virtual void close() = 0;
};

}  // namespace muster
