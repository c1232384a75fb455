// A host that has joined a world: the embedding API. The handle is move-only; its functions may be called
// from any thread, but ordered operations (all but barrier and leave) belong to one thread at a time: a
// call from another thread while one is pending is refused. The same class serves a real process and a
// simulated host.
//
//     muster::runtime rt{options};
//     auto host = rt.join(muster::host_options::from_environment().value()).value();
//     host.barrier("data-ready").get();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <caf/actor.hpp>

#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/member.hpp>
#include <muster/messages/values/operation.hpp>
#include <muster/messages/values/tree.hpp>
#include <muster/runtime/device_cover.hpp>
#include <muster/runtime/local_device.hpp>
#include <muster/runtime/op.hpp>
#include <muster/runtime/operation_options.hpp>

namespace muster {

struct host_options;

struct broadcast_options {
  muster::rank source{0};
  duration soft{limits::soft_default};
  duration hard{limits::hard_default};
};

/// What a host handle stands on. Made by runtime::join, or by the simulation.
struct host_parts {
  caf::actor actor;
  muster::rank self{};
  member_table table;
  std::vector<local_device> devices;
  std::weak_ptr<blocking_driver> driver;  // how a wait waits; owner-less: an ordinary blocking wait
  bool driven = false;                    // whether `driver` is to be used at all
  std::function<status()> end;            // closes the links, in bounded time; called once
};

class host {
 public:
  /// A host with a runtime of its own, which ends with it: all that a process with one host needs. Blocks, and
  /// fails, as runtime::join does. Close or destroy it on an ordinary thread.
  static result<host> join(const host_options& options);

  explicit host(host_parts parts);
  host(host&&) noexcept;
  host& operator=(host&&) noexcept;
  /// close(), when it was not called.
  ~host();

  [[nodiscard]] muster::rank rank() const;
  [[nodiscard]] std::uint32_t world_size() const;
  [[nodiscard]] muster::generation generation() const;
  [[nodiscard]] const member_table& members() const;
  /// Of this host, in local order.
  [[nodiscard]] const std::vector<local_device>& devices() const;
  /// Over all hosts.
  [[nodiscard]] std::uint32_t device_count() const;
  /// The global index of this host's first device.
  [[nodiscard]] device_index first_device() const;
  /// Takes the messages of host_messages.hpp.
  [[nodiscard]] const caf::actor& actor() const;

  // Every operation ends, at every host that runs, by its hard deadline and a lease, with the same outcome:
  // ok; deadline_exceeded with who was missing and where they were instead; left; cancelled; aborted;
  // device_error; mismatch with who said what; straggler_behind; or unknown, when this host could not
  // learn the verdict and is fenced. invalid_argument and resource_exhausted are refusals of this call
  // alone: nothing was sent. `unavailable` after close().

  /// All members call it with the same name, compared whole. Several names may be pending at a time.
  op<void> barrier(std::string_view name, operation_options options = {}) const;

  /// An ordered barrier: the members must call their ordered operations in the same order, and this one with
  /// the same name, or all get a mismatch. (Source: jax.experimental.multihost_utils.sync_global_devices.)
  op<void> sync_global_devices(std::string_view name, operation_options options = {}) const;

  /// Every member gets the source's tree, bit for bit. The other members' trees are not looked at, and may
  /// be left out. At most limits::inline_bytes_max packed. (Source: multihost_utils.broadcast_one_to_all.)
  op<tree> broadcast_one_to_all(const tree& value, broadcast_options options = {}) const;
  /// For a host that is not the source; at the source an invalid_argument.
  op<tree> broadcast_one_to_all(broadcast_options options = {}) const;

  /// Reduces the leaves of all covers of all hosts in the one reduction order (devices/order.hpp): the bits
  /// do not depend on which device has which leaf. Every array has the same dtype and shape; `reduces`
  /// (messages/values/operation.hpp) says which reductions a dtype has. Each device first folds its own
  /// leaves; the mean divides once, by the number of leaves. Every leaf must be given once in the world. The
  /// result has the arrays' shape and dtype (an argmax's is i64: the number of the leaf, the lowest of equals, with
  /// NaN as the largest); partials travel in the accumulation type (f32 for f16 and bf16).
  op<array> all_reduce(std::span<const device_cover> covers, reduce_op how,
                       operation_options options = {}) const;

  /// The last operation: whoever waits for a host that waits here fails with `left`. When it has succeeded,
  /// no host waits for another any more.
  op<void> leave(operation_options options = {}) const;

  /// Closes the links, letting what is queued go out, in bounded time. Pending operations end
  /// `unavailable`. Without leave() before it the others find this host missing.
  status close();

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace muster
