#include <muster/runtime/host.hpp>

#include <muster/runtime/host_state.hpp>

namespace muster {

result<std::shared_ptr<void>> ordered_calls::enter(std::string_view what) {
  std::lock_guard lock(mutex_);
  const auto caller = std::this_thread::get_id();
  if (pending_ > 0 && by_ != caller)
    return error(
        status_code::invalid_argument,
        std::string(what) + ": another thread has " + std::to_string(pending_) +
            " ordered operation(s) pending on this host; one thread at a time orders them");
  by_ = caller;
  ++pending_;
  return std::shared_ptr<void>(nullptr, [self = shared_from_this()](void*) {
    std::lock_guard count(self->mutex_);
    --self->pending_;
  });
}

/// Actors before what keeps their system.
host::state::~state() {
  parts.devices.clear();
  parts.actor = nullptr;
}

signature says(op_kind kind, std::string_view name) {
  signature out;
  out.kind = kind;
  out.name = name;
  return out;
}

status among(std::span<const rank> group, signature& said) {
  for (const auto who : group) {
    if (said.members.contains(who))
      return error(status_code::invalid_argument,
                   std::string(to_string(said.kind)) + ": rank " + to_string(who) +
                       " is twice in the group; a group has each member once");
    if (who.value >= limits::world_size_max)
      return error(status_code::invalid_argument,
                   std::string(to_string(said.kind)) + ": rank " + to_string(who) +
                       " in the group; ranks are below " + std::to_string(limits::world_size_max));
    said.members.insert(who);
  }
  return {};
}

op<void> host::state::start_empty(signature said, const operation_options& o) {
  if (auto why = among(o.group, said); !why.ok()) return op<void>::completed(std::move(why));
  return start<void>(std::move(said), {o.soft, o.hard}, contribution{},
                     [](const contribution&) { return result<void>{}; });
}

host::host(host_parts parts) : state_(std::make_shared<state>(std::move(parts))) {}
host::host(host&&) noexcept = default;
host& host::operator=(host&& other) noexcept {
  if (this != &other) {
    if (state_) [[maybe_unused]]
      auto ended = close();
    state_ = std::move(other.state_);
  }
  return *this;
}
host::~host() {
  if (state_) [[maybe_unused]]
    auto ended = close();
}

muster::rank host::rank() const { return state_->parts.self; }
std::uint32_t host::world_size() const { return state_->parts.table.world_size(); }
muster::generation host::generation() const { return state_->parts.table.generation; }
const member_table& host::members() const { return state_->parts.table; }
const std::vector<local_device>& host::devices() const { return state_->parts.devices; }
std::uint32_t host::device_count() const { return state_->parts.table.device_count(); }
device_index host::first_device() const {
  return state_->parts.table.first_device(state_->parts.self);
}
const caf::actor& host::actor() const { return state_->parts.actor; }

op<void> host::barrier(std::string_view name, operation_options o) const {
  return state_->start_empty(says(op_kind::barrier, name), o);
}

op<void> host::sync_global_devices(std::string_view name, operation_options o) const {
  return state_->start_empty(says(op_kind::sync_global_devices, name), o);
}

status host::abort(std::string_view name, std::string_view reason, operation_options o) const {
  auto said = says(op_kind::barrier, name);
  if (auto why = among(o.group, said); !why.ok()) return why;
  const auto what = to_string(said);
  if (state_->closed) return error(status_code::unavailable, what + ": this host is closed");
  if (name.size() > limits::name_bytes_max)
    return error(status_code::invalid_argument,
                 "abort: the name has " + std::to_string(name.size()) + " bytes; at most " +
                     std::to_string(limits::name_bytes_max) + " are allowed");
  auto cause = error(status_code::aborted,
                     what + ": rank " + to_string(rank()) + " aborted it: " + std::string(reason));
  caf::anon_send(actor(), abort_named{{{said.kind, said.name}, said.members, std::move(cause)}});
  return {};
}

op<void> host::leave(operation_options o) const {
  return state_->start_empty(says(op_kind::leave), {o.soft, o.hard, {}});
}

status host::close() {
  if (state_->closed.exchange(true)) return {};
  return state_->parts.end ? state_->parts.end() : status{};
}

}  // namespace muster
