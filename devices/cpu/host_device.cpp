#include <muster/devices/cpu/host_device.hpp>

#include <cstring>
#include <new>
#include <utility>

#include <muster/devices/cpu/host_fold.hpp>
#include <muster/messages/values/ensure.hpp>

namespace muster {

namespace {

constexpr std::size_t allocation_alignment = 64;
constexpr std::size_t sharing_alignment = 16;

// Memory that a buffer stands for: an allocation, or a payload that was shared in.
struct host_block : device_buffer::block {
  host_block(std::shared_ptr<host_stream> s, std::shared_ptr<const void> o, std::byte* at,
             std::size_t n)
      : stream(std::move(s)), owner(std::move(o)) {
    data = at;
    bytes = n;
  }
  ~host_block() override { stream->release(std::move(owner)); }
  std::shared_ptr<host_stream> stream;
  std::shared_ptr<const void> owner;
};

struct host_event : device_event::state {
  explicit host_event(std::uint64_t p) : position(p) {}
  std::uint64_t position;
};

bool is_aligned(const std::byte* at) {
  return reinterpret_cast<std::uintptr_t>(at) % sharing_alignment == 0;
}

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

}  // namespace

struct host_device::allocation {
  allocation(std::size_t n, std::shared_ptr<std::atomic<std::size_t>> total)
      : bytes(n),
        allocated(std::move(total)),
        data(static_cast<std::byte*>(
            ::operator new (n, std::align_val_t{allocation_alignment}, std::nothrow))) {
    *allocated += bytes;
  }
  ~allocation() {
    ::operator delete (data, std::align_val_t{allocation_alignment});
    *allocated -= bytes;
  }
  allocation(const allocation&) = delete;
  allocation& operator=(const allocation&) = delete;
  std::size_t bytes;
  std::shared_ptr<std::atomic<std::size_t>> allocated;
  std::byte* data;
};

host_device::host_device(std::string kind, std::size_t memory_bytes)
    : kind_(std::move(kind)),
      memory_bytes_(memory_bytes),
      stream_(std::make_shared<host_stream>(kind_)) {}

result<device_buffer> host_device::allocate(std::size_t bytes) {
  const auto refused = [&] {
    return error(status_code::resource_exhausted, kind_ + ": " + std::to_string(bytes) +
                                                      " bytes asked for, " +
                                                      std::to_string(allocated_->load()) + " of " +
                                                      std::to_string(memory_bytes_) + " in use");
  };
  if (const auto used = allocated_->load(); used > memory_bytes_ || bytes > memory_bytes_ - used)
    return refused();
  auto owner = std::make_shared<allocation>(bytes, allocated_);
  if (owner->data == nullptr) {
    owner.reset();
    return refused();
  }
  auto* data = owner->data;
  return device_buffer{std::make_unique<host_block>(stream_, std::move(owner), data, bytes)};
}

status host_device::copy_in(device_buffer& to, bytes_view from) {
  if (from.size() > to.size()) {
    return error(status_code::invalid_argument,
                 kind_ + ": copy_in of " + std::to_string(from.size()) +
                     " bytes into a buffer of " + std::to_string(to.size()));
  }
  return push({"copy_in",
               [at = to.data(), from] { copy_bytes(at, from.data(), from.size()); },
               {},
               false,
               0,
               from.size()});
}

status host_device::copy_out(std::span<std::byte> to, const device_buffer& from) {
  if (to.size() > from.size()) {
    return error(status_code::invalid_argument,
                 kind_ + ": copy_out of " + std::to_string(to.size()) + " bytes from a buffer of " +
                     std::to_string(from.size()));
  }
  return push({"copy_out",
               [to, at = from.data()] { copy_bytes(to.data(), at, to.size()); },
               {},
               false,
               0,
               to.size()});
}

result<device_buffer> host_device::share_in(payload from) {
  if (auto failed = failure(); !failed.ok()) return failed;
  if (is_aligned(from.data())) {
    const auto bytes = from.bytes();
    // Launches only read what was shared in; the type of a device address has no const.
    auto* data = const_cast<std::byte*>(bytes.data());
    return device_buffer{std::make_unique<host_block>(
        stream_, std::make_shared<payload>(std::move(from)), data, bytes.size())};
  }
  auto buffer = allocate(from.size());
  if (!buffer) return buffer;
  auto pushed = push({"share_in",
                      [at = buffer->data(), from] { copy_bytes(at, from.data(), from.size()); },
                      {},
                      false,
                      0,
                      from.size()});
  if (!pushed.ok()) return pushed;
  return buffer;
}

result<payload> host_device::share_out(device_buffer from) {
  if (auto failed = failure(); !failed.ok()) return failed;
  auto owner = std::make_shared<device_buffer>(std::move(from));
  const bytes_view bytes{owner->data(), owner->size()};
  return payload{std::move(owner), bytes};
}

status host_device::launch(std::string_view name, host_kernel kernel, std::size_t bytes_reduced) {
  ensure(static_cast<bool>(kernel), "a launch has a function");
  return push({std::string(name), std::move(kernel), {}, true, bytes_reduced, bytes_reduced});
}

status host_device::launch(fold_launch fold) {
  const auto bytes = fold.input_bytes();
  const auto moved = bytes + fold.output_bytes();
  return push({"fold", [f = std::move(fold)] { run_fold(f); }, {}, true, bytes, moved});
}

device_event host_device::record() {
  return device_event{std::make_shared<host_event>(stream_->record())};
}

event_progress host_device::query(const device_event& event) const {
  const auto* state = dynamic_cast<const host_event*>(event.get());
  ensure(state != nullptr, "an event is asked of the device that recorded it");
  return stream_->progress_of(state->position);
}

status host_device::push(host_work work) {
  auto pushed = stream_->push(std::move(work));
  if (pushed.ok()) work_pushed();
  return pushed;
}

}  // namespace muster
