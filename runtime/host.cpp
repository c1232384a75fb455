#include <muster/runtime/host.hpp>

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include <caf/send.hpp>

#include <muster/actors/shells/device_messages.hpp>
#include <muster/actors/shells/host_messages.hpp>

namespace muster {
namespace {

std::string text(std::uint64_t n) { return std::to_string(n); }

status invalid(std::string why) { return error(status_code::invalid_argument, std::move(why)); }

/// What each device has made, until the last one is done. Used by the device actors' threads.
class cover_collector {
 public:
  cover_collector(caf::actor to, ticket which, std::size_t devices) : to_(std::move(to)), which_(which), open_(devices) {}

  void add(const status& outcome, contribution made) {
    std::lock_guard lock(mutex_);
    if (!outcome.ok() && outcome_.ok()) outcome_ = outcome;
    std::move(made.parts.begin(), made.parts.end(), std::back_inserter(all_.parts));
    std::move(made.frames.begin(), made.frames.end(), std::back_inserter(all_.frames));
    if (--open_ == 0) caf::anon_send(to_, contribution_ready{which_, outcome_, std::move(all_)});
  }

 private:
  std::mutex mutex_;
  caf::actor to_;
  ticket which_;
  std::size_t open_;
  status outcome_;
  contribution all_;
};

}  // namespace

struct host::state {
  explicit state(host_parts p) : parts(std::move(p)) {}

  host_parts parts;
  std::atomic<std::uint64_t> tickets{0};
  std::atomic<bool> closed{false};
  std::mutex mutex;
  std::size_t ordered_pending = 0;  // under mutex
  std::thread::id ordered_by;       // under mutex

  /// Refuses a second thread; counts a call that is let through.
  status enter_ordered(std::string_view what) {
    std::lock_guard lock(mutex);
    const auto self = std::this_thread::get_id();
    if (ordered_pending > 0 && ordered_by != self)
      return invalid(std::string(what) + ": another thread has " + text(ordered_pending) +
                     " ordered operation(s) pending; one thread at a time orders them");
    ordered_by = self;
    ++ordered_pending;
    return {};
  }
  void leave_ordered() {
    std::lock_guard lock(mutex);
    --ordered_pending;
  }
};

namespace {

signature says(op_kind kind, std::string_view name = {}) {
  signature out;
  out.kind = kind;
  out.name = name;
  return out;
}

/// The signature that all covers of this host agree on, or why they don't.
result<signature> signature_of(std::span<const device_cover> covers, reduce_op how, std::size_t devices) {
  if (covers.empty()) return invalid("all_reduce: no cover is given; a host without leaves gives one with dtype and shape");
  const array* like = nullptr;
  for (const auto& c : covers)
    if (!like) like = c.like();
  if (!like) return invalid("all_reduce: a host without leaves gives a cover with dtype and shape");
  if (like->dtype != dtype::f32 && like->dtype != dtype::f64)
    return invalid("all_reduce: dtype " + std::string(to_string(like->dtype)) + " is not one of f32, f64");
  auto out = says(op_kind::all_reduce);
  out.reduce = how;
  out.dtype = like->dtype;
  out.shape = like->shape;
  out.leaf_count = covers.front().leaf_count();
  std::set<std::uint64_t> seen;
  std::set<std::uint32_t> used;
  for (const auto& c : covers) {
    if (c.device() >= devices)
      return invalid("all_reduce: device " + text(c.device()) + " is not below the " + text(devices) + " devices of this host");
    if (!used.insert(c.device()).second) return invalid("all_reduce: device " + text(c.device()) + " has two covers");
    if (c.leaf_count() != out.leaf_count)
      return invalid("all_reduce: covers of " + text(out.leaf_count) + " and of " + text(c.leaf_count()) + " leaves");
    for (const auto& [leaf, value] : c.leaves()) {
      if (leaf >= out.leaf_count)
        return invalid("all_reduce: leaf " + text(leaf) + " is not below the leaf count " + text(out.leaf_count));
      if (!seen.insert(leaf).second) return invalid("all_reduce: leaf " + text(leaf) + " is given twice on this host");
      if (value.dtype != out.dtype || value.shape != out.shape)
        return invalid("all_reduce: leaf " + text(leaf) + " is " + std::string(to_string(value.dtype)) + to_string(value.shape) +
                       ", others are " + std::string(to_string(*out.dtype)) + to_string(out.shape));
    }
  }
  return out;
}

/// Turns the frames of a verdict into what the caller wants.
struct to_nothing {
  result<void> operator()(contribution) const { return {}; }
};
struct to_tree {
  result<tree> operator()(contribution made) const {
    if (made.frames.size() != 1) return error(status_code::internal, "broadcast_one_to_all: a result without a tree");
    return unpack(made.frames.front());
  }
};
struct to_array {
  dtype type;
  shape_vector shape;
  result<array> operator()(contribution made) const {
    const auto bytes = static_cast<std::size_t>(element_count(shape)) * size_of(type);
    if (made.frames.size() != 1 || made.frames.front().size() != bytes)
      return error(status_code::internal, "all_reduce: a result of another size than its arrays");
    return array{type, shape, std::move(made.frames.front())};
  }
};

}  // namespace

host::host(host_parts parts) : state_(std::make_shared<state>(std::move(parts))) {}
host::host(host&&) noexcept = default;
host& host::operator=(host&& other) noexcept {
  if (this != &other) {
    if (state_) [[maybe_unused]] auto ended = close();
    state_ = std::move(other.state_);
  }
  return *this;
}
host::~host() {
  if (state_) [[maybe_unused]] auto ended = close();
}

muster::rank host::rank() const { return state_->parts.self; }
std::uint32_t host::world_size() const { return state_->parts.table.world_size(); }
muster::generation host::generation() const { return state_->parts.table.generation; }
const member_table& host::members() const { return state_->parts.table; }
const std::vector<local_device>& host::devices() const { return state_->parts.devices; }
std::uint32_t host::device_count() const { return state_->parts.table.device_count(); }
device_index host::first_device() const { return state_->parts.table.first_device(state_->parts.self); }
const caf::actor& host::actor() const { return state_->parts.actor; }

status host::close() {
  if (state_->closed.exchange(true)) return {};
  return state_->parts.end ? state_->parts.end() : status{};
}

namespace {

/// Starts one operation: the promise, the ticket, the wish to cancel, and the bookkeeping of ordered calls.
template <class T, class State, class Convert>
op<T> start(const std::shared_ptr<State>& s, signature said, deadlines remaining,
            std::optional<contribution> given, Convert convert, ticket* started = nullptr) {
  const std::string what = to_string(said);
  const bool ordered = !is_named(said.kind);
  if (s->closed) return op<T>::completed(error(status_code::unavailable, what + ": this host is closed"));
  if (ordered)
    if (auto why = s->enter_ordered(what); !why.ok()) return op<T>::completed(std::move(why));
  op_promise<T> ended;
  if (s->parts.driven) ended.drive_with(s->parts.driver);
  const ticket which{++s->tickets};
  ended.on_cancel([actor = s->parts.actor, which, what] {
    caf::anon_send(actor, cancel_operation{which, error(status_code::cancelled, what + ": cancelled by a member")});
  });
  auto out = ended.get_op();
  auto done = [s, ended, ordered, convert = std::move(convert)](status outcome, contribution made) {
    if (ordered) s->leave_ordered();
    if (outcome.ok()) ended.complete(convert(std::move(made)));
    else ended.complete(std::move(outcome));
  };
  if (started) *started = which;
  caf::anon_send(s->parts.actor, start_operation{which, std::move(said), remaining, std::move(given), std::move(done)});
  return out;
}

}  // namespace

op<void> host::barrier(std::string_view name, operation_options o) const {
  return start<void>(state_, says(op_kind::barrier, name), {o.soft, o.hard}, contribution{}, to_nothing{});
}

op<void> host::sync_global_devices(std::string_view name, operation_options o) const {
  return start<void>(state_, says(op_kind::sync_global_devices, name), {o.soft, o.hard}, contribution{}, to_nothing{});
}

op<tree> host::broadcast_one_to_all(const tree& value, broadcast_options o) const {
  auto said = says(op_kind::broadcast_one_to_all);
  said.source = o.source;
  contribution given;
  if (o.source == rank()) given.frames.push_back(pack(value));
  return start<tree>(state_, std::move(said), {o.soft, o.hard}, std::move(given), to_tree{});
}

op<tree> host::broadcast_one_to_all(broadcast_options o) const {
  auto said = says(op_kind::broadcast_one_to_all);
  said.source = o.source;
  return start<tree>(state_, std::move(said), {o.soft, o.hard}, contribution{}, to_tree{});
}

op<array> host::all_reduce(std::span<const device_cover> covers, reduce_op how, operation_options o) const {
  auto said = signature_of(covers, how, devices().size());
  if (!said.ok()) return op<array>::completed(said.why());
  ticket which{};
  auto out = start<array>(state_, *said, {o.soft, o.hard}, std::nullopt, to_array{*said->dtype, said->shape}, &which);
  if (which.value == 0) return out;
  auto collector = std::make_shared<cover_collector>(actor(), which, covers.size());
  for (const auto& c : covers) {
    auto made = [collector](const status& outcome, contribution cover) { collector->add(outcome, std::move(cover)); };
    if (c.leaves().empty()) made({}, {});
    else caf::anon_send(devices()[c.device()].actor(), reduce_cover{*said, c.leaves(), std::move(made)});
  }
  return out;
}

op<void> host::leave(operation_options o) const {
  return start<void>(state_, says(op_kind::leave), {o.soft, o.hard}, contribution{}, to_nothing{});
}

}  // namespace muster
