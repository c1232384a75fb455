// Reductions at one host: what its covers say is checked, each device folds its own leaves, device 0 merges
// what they have made, and that is this host's contribution.
#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <muster/actors/shells/device_messages.hpp>
#include <muster/devices/order.hpp>
#include <muster/messages/values/layouts/layout.hpp>
#include <muster/runtime/host_state.hpp>

namespace muster {

namespace {

std::string text(std::uint64_t n) { return std::to_string(n); }

status invalid(op_kind kind, const std::string& why) {
  return error(status_code::invalid_argument, std::string(to_string(kind)) + ": " + why);
}

std::string looks(const array& a) { return std::string(to_string(a.dtype)) + to_string(a.shape); }

/// What all covers of this host say alike, or the first thing that breaks a rule.
result<signature> signature_of(op_kind kind, std::span<const device_cover> covers, reduce_op how,
                               std::size_t devices) {
  const auto invalid = [kind](const std::string& why) { return muster::invalid(kind, why); };
  const array* like = nullptr;
  for (const auto& c : covers)
    if (!like) like = c.like();
  if (!like) return invalid("a host without leaves gives one cover with dtype and shape");
  if (!reduces(how, like->dtype))
    return invalid("arrays are " + std::string(to_string(like->dtype)) + ", and " +
                   std::string(to_string(how)) + " is " + std::string(operands_of(how)));
  auto out = says(kind);
  out.reduce = how;
  out.dtype = like->dtype;
  out.shape = like->shape;
  out.leaf_count = covers.front().leaf_count();
  std::set<std::uint64_t> given;
  std::set<std::uint32_t> used;
  for (const auto& c : covers) {
    if (c.device() >= devices)
      return invalid("device " + text(c.device()) + " must be below the " + text(devices) +
                     " devices of this host");
    if (!used.insert(c.device()).second)
      return invalid("device " + text(c.device()) + " has two covers; one is allowed");
    if (c.leaf_count() != out.leaf_count || c.leaf_count() == 0)
      return invalid("leaf count " + text(c.leaf_count()) +
                     " must be above 0 and the same in all covers, here " + text(out.leaf_count));
    if (const auto* one = c.like(); one && (one->dtype != out.dtype || one->shape != out.shape))
      return invalid("device " + text(c.device()) + " gives " + looks(*one) + ", others give " +
                     looks(*like));
    for (const auto& [leaf, value] : c.leaves()) {
      if (leaf >= out.leaf_count)
        return invalid("leaf " + text(leaf) + " must be below the leaf count " +
                       text(out.leaf_count));
      if (!given.insert(leaf).second)
        return invalid("leaf " + text(leaf) + " is given twice on this host");
      if (value.dtype != out.dtype || value.shape != out.shape)
        return invalid("leaf " + text(leaf) + " is " + looks(value) + ", others are " +
                       looks(*like));
    }
  }
  return out;
}

std::size_t result_bytes(const signature& said) {
  return static_cast<std::size_t>(element_count(said.shape)) *
         size_of(result_dtype(*said.reduce, *said.dtype));
}

/// Collects what the devices make and passes it on, when the last of them has answered. Each answer comes
/// on its device's thread.
class local_reduction : public std::enable_shared_from_this<local_reduction> {
 public:
  local_reduction(caf::actor host, ticket which, signature said, caf::actor merger)
      : host_(std::move(host)), merger_(std::move(merger)), which_(which), said_(std::move(said)) {}

  /// Everyone is asked before anyone may be the last.
  void start(std::span<const device_cover> covers, const std::vector<local_device>& devices) {
    open_ = 1;
    for (const auto& c : covers) {
      if (c.leaves().empty()) continue;
      {
        std::lock_guard lock(mutex_);
        ++open_;
      }
      auto done = answer_of(c.device(), &local_reduction::add);
      caf::anon_send(devices[c.device()].actor(), reduce_cover{said_, c.leaves(), std::move(done)});
    }
    add({}, {});
  }

 private:
  using answer = std::function<void(status, contribution)>;

  /// Calls `then` once: with the answer, or, where the question was dropped because the device's actor has
  /// ended, with that.
  answer answer_of(std::uint32_t device,
                   void (local_reduction::*then)(const status&, contribution)) {
    auto lost = error(status_code::device_error, std::string(to_string(said_.kind)) + ": device " +
                                                     text(device) + " of this host has ended");
    auto open = std::shared_ptr<bool>(new bool(true),
                                      [self = shared_from_this(), lost, then](bool* unanswered) {
                                        if (*unanswered) (*self.*then)(lost, {});
                                        delete unanswered;
                                      });
    return [self = shared_from_this(), open, then, lost](const status& outcome, contribution made) {
      if (!std::exchange(*open, false)) return;
      (*self.*then)(outcome.code == status_code::cancelled ? lost : outcome,
                    std::move(made));  // it ended meanwhile
    };
  }

  void add(const status& outcome, contribution made) {
    std::unique_lock lock(mutex_);
    if (!outcome.ok() && outcome_.ok()) outcome_ = outcome;
    if (!made.frames.empty()) made_.push_back(std::move(made));
    if (--open_ != 0) return;
    lock.unlock();
    if (!outcome_.ok() || made_.size() < 2)
      return give(outcome_, made_.empty() ? contribution{} : made_.front());
    caf::anon_send(merger_, fold_partials{said_, false, std::move(made_),
                                          answer_of(0, &local_reduction::give)});
  }

  void give(const status& outcome, contribution whole) {
    caf::anon_send(host_, contribution_ready{which_, outcome, std::move(whole)});
  }

  const caf::actor host_, merger_;
  const ticket which_;
  const signature said_;
  std::mutex mutex_;  // guards the rest
  std::size_t open_ = 0;
  status outcome_;
  std::vector<contribution> made_;
};

/// The whole array of the result.
struct to_array {
  dtype type;
  shape_vector shape;
  std::size_t bytes;
  result<array> operator()(contribution made) const {
    if (made.frames.size() != 1 || made.frames.front().size() != bytes)
      return error(status_code::internal, "a reduction's result of another size than its arrays");
    return array{type, shape, std::move(made.frames.front())};
  }
};

to_array whole_of(const signature& said) {
  return {result_dtype(*said.reduce, *said.dtype), said.shape, result_bytes(said)};
}

/// At the target the whole array, elsewhere nothing.
struct to_array_at_target {
  to_array whole;
  bool ours;
  result<std::optional<array>> operator()(contribution made) const {
    if (!ours) return std::optional<array>();
    auto out = whole(std::move(made));
    if (!out) return out.why();
    return std::optional(std::move(*out));
  }
};

/// The shards of this host's devices, which share the whole's bytes.
struct to_shards {
  to_array whole;
  std::int64_t devices;  // of all members
  std::int64_t first;    // of this host's among them
  std::int64_t here;
  result<std::vector<array>> operator()(contribution made) const {
    auto all = whole(std::move(made));
    if (!all) return all.why();
    std::vector<array> out;
    const auto rows = all->shape.front();
    const auto row_bytes = rows == 0 ? 0 : all->data.size() / static_cast<std::size_t>(rows);
    for (std::int64_t d = first; d < first + here; ++d) {
      const auto range = shard_range(rows, devices, d);
      auto shape = all->shape;
      shape.front() = range.size();
      out.push_back({all->dtype, std::move(shape),
                     all->data.part(static_cast<std::size_t>(range.first) * row_bytes,
                                    static_cast<std::size_t>(range.size()) * row_bytes)});
    }
    return out;
  }
};

}  // namespace

template <class T, class Convert>
op<T> host::state::reduce(signature said, std::span<const device_cover> covers, deadlines remaining,
                          Convert convert) {
  // The call takes its place in the order now; its contribution follows.
  ticket which{};
  auto out = start<T>(said, remaining, std::nullopt, std::move(convert), &which);
  if (which == ticket{}) return out;
  const auto reduction = std::make_shared<local_reduction>(parts.actor, which, std::move(said),
                                                           parts.devices.front().actor());
  reduction->start(covers, parts.devices);
  return out;
}

op<array> host::all_reduce(std::span<const device_cover> covers, reduce_op how,
                           operation_options o) const {
  auto said = signature_of(op_kind::all_reduce, covers, how, devices().size());
  if (!said) return op<array>::completed(said.why());
  if (auto why = among(o.group, *said); !why.ok()) return op<array>::completed(std::move(why));
  return state_->reduce<array>(*said, covers, {o.soft, o.hard}, whole_of(*said));
}

op<std::optional<array>> host::reduce(std::span<const device_cover> covers, reduce_op how,
                                      target_options o) const {
  using maybe = std::optional<array>;
  auto said = signature_of(op_kind::reduce, covers, how, devices().size());
  if (!said) return op<maybe>::completed(said.why());
  said->target = o.target;
  if (auto why = among(o.group, *said); !why.ok()) return op<maybe>::completed(std::move(why));
  return state_->reduce<maybe>(*said, covers, {o.soft, o.hard},
                               to_array_at_target{whole_of(*said), o.target == rank()});
}

op<std::vector<array>> host::reduce_scatter(std::span<const device_cover> covers, reduce_op how,
                                            operation_options o) const {
  using list = std::vector<array>;
  auto said = signature_of(op_kind::reduce_scatter, covers, how, devices().size());
  if (!said) return op<list>::completed(said.why());
  if (auto why = among(o.group, *said); !why.ok()) return op<list>::completed(std::move(why));
  if (said->shape.empty())
    return op<list>::completed(invalid(
        op_kind::reduce_scatter, "an array without dimensions can't be cut; the first one is"));
  std::int64_t before = 0, all = 0;
  for (const auto& m : members().members) {
    if (!said->members.empty() && !said->members.contains(m.rank)) continue;
    if (m.rank < rank()) before += m.device_count;
    all += m.device_count;
  }
  const auto here = static_cast<std::int64_t>(devices().size());
  return state_->reduce<list>(*said, covers, {o.soft, o.hard},
                              to_shards{whole_of(*said), all, before, here});
}

}  // namespace muster
