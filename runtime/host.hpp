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
#include <optional>
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

  // `options.group` is who takes part. Named operations (barrier) compare it with the name's other callers, and where
  // two differ all of both get a mismatch; a call that names a group without its own host is refused and disturbs nobody. Ordered operations match by the calls in that very group, which
  // has an order of its own: the same group in the same order on all its members.

  /// All members call it with the same name, compared whole. Several names may be pending at a time.
  op<void> barrier(std::string_view name, operation_options options = {}) const;
  /// The barrier of that name fails with `aborted` and this reason at all its members: the round that has begun, or
  /// else the next one. Whoever calls need not take part. A later cause than the first one is dropped.
  status abort(std::string_view name, std::string_view reason,
               operation_options options = {}) const;

  /// An ordered barrier: the members must call their ordered operations in the same order, and this one with
  /// the same name, or all get a mismatch. (Source: jax.experimental.multihost_utils.sync_global_devices.)
  op<void> sync_global_devices(std::string_view name, operation_options options = {}) const;

  // Trees. Where members must give alike trees (the same containers and keys in the same order, the same dtypes and
  // shapes; lengths of strings and bytes are values) a difference is a mismatch that says where and at which ranks.
  // There is no limit but memory: what is larger than limits::held_back_above moves from host to host, in memory that is
  // bounded beyond the result.

  /// Every member gets the source's tree, bit for bit. Another member's tree is optional (an empty dict is
  /// none), and must be alike where it is given. No source, or two, is a mismatch. (Source: multihost_utils.broadcast_one_to_all.)
  op<tree> broadcast_one_to_all(const tree& value, broadcast_options options = {}) const;
  /// For a host that is not the source; at the source an invalid_argument.
  op<tree> broadcast_one_to_all(broadcast_options options = {}) const;

  /// One tree of all members' trees, in rank order: an array of shape s becomes one of (members, s...), or, tiled,
  /// (members * s0, ...); scalars and arrays without dimensions become (members,) both ways; strings and bytes become
  /// lists. The same for one member as for many. (Source: multihost_utils.process_allgather.)
  op<tree> process_allgather(const tree& value, allgather_options options = {}) const;

  /// ok everywhere where all members' trees are equal to the bit (NaN payloads and the sign of zero count), else a
  /// mismatch everywhere that names leaves and ranks. Arrays, strings and bytes are compared by XXH3-128, so that what is
  /// sent grows with the number of leaves only. (Source: multihost_utils.assert_equal.)
  op<void> assert_equal(const tree& value, std::string_view name = {},
                        operation_options options = {}) const;

  /// The target gets all members' trees in rank order, the others an empty list.
  op<std::vector<tree>> gather(const tree& value, target_options options = {}) const;

  // Arrays of devices.

  /// Reduces the leaves of all covers of all members in the one reduction order (devices/order.hpp): the bits
  /// do not depend on which device has which leaf. Every array has the same dtype and shape; `reduces`
  /// (messages/values/operation.hpp) says which reductions a dtype has. Each device first folds its own
  /// leaves; the mean divides once, by the number of leaves. Every leaf must be given once among the members. The
  /// result has the arrays' shape and dtype (an argmax's is i64: the number of the leaf, the lowest of equals, with
  /// NaN as the largest); partials travel in the accumulation type (f32 for f16 and bf16).
  op<array> all_reduce(std::span<const device_cover> covers, reduce_op how,
                       operation_options options = {}) const;
  /// The same, but only the target gets the array.
  op<std::optional<array>> reduce(std::span<const device_cover> covers, reduce_op how,
                                  target_options options = {}) const;
  /// The same, cut along the first dimension over all devices of the members, in the order of device indices, by the
  /// rule of layouts: each local device's shard, in local order. Arrays without dimensions are refused.
  op<std::vector<array>> reduce_scatter(std::span<const device_cover> covers, reduce_op how,
                                        operation_options options = {}) const;

  /// One array per local device that takes part, at least one; all of all members have one dtype and shape. The result
  /// is in the order of ranks and, within one, as given: stacked along a new first dimension, or tiled along their own.
  op<array> all_gather(std::span<const array> per_device, allgather_options options = {}) const;

  /// Every member gets the array that the host of that device gives; the others give none.
  op<array> broadcast(const std::optional<array>& value, device_index source,
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
