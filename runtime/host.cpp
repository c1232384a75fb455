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

namespace {

struct to_nothing {
  result<void> operator()(const contribution&) const { return {}; }
};

struct to_tree {
  result<tree> operator()(const contribution& made) const {
    if (made.frames.size() != 1)
      return error(status_code::internal, "broadcast_one_to_all: a result without a tree");
    return unpack(made.frames.front());
  }
};

}  // namespace

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
  return state_->start<void>(says(op_kind::barrier, name), {o.soft, o.hard}, contribution{},
                             to_nothing{});
}

op<void> host::sync_global_devices(std::string_view name, operation_options o) const {
  return state_->start<void>(says(op_kind::sync_global_devices, name), {o.soft, o.hard},
                             contribution{}, to_nothing{});
}

op<tree> host::broadcast_one_to_all(const tree& value, broadcast_options o) const {
  auto said = says(op_kind::broadcast_one_to_all);
  said.source = o.source;
  contribution given;
  if (o.source == rank()) given.frames.push_back(pack(value));
  return state_->start<tree>(std::move(said), {o.soft, o.hard}, std::move(given), to_tree{});
}

op<tree> host::broadcast_one_to_all(broadcast_options o) const {
  auto said = says(op_kind::broadcast_one_to_all);
  said.source = o.source;
  return state_->start<tree>(std::move(said), {o.soft, o.hard}, contribution{}, to_tree{});
}

op<void> host::leave(operation_options o) const {
  return state_->start<void>(says(op_kind::leave), {o.soft, o.hard}, contribution{}, to_nothing{});
}

status host::close() {
  if (state_->closed.exchange(true)) return {};
  return state_->parts.end ? state_->parts.end() : status{};
}

}  // namespace muster
