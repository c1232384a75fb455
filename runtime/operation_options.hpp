// What an operation can be told by its caller: when to report, when to fail, and who takes part. Values.
#pragma once

#include <optional>
#include <span>

#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

/// Members of options structs are trivially destructible, all of them: g++ 12 destroys an aggregate
/// temporary inside a co_await expression twice.
struct operation_options {
  duration soft{limits::soft_default};  // report who is missing after this long, nothing fails
  duration hard{limits::hard_default};  // fail everywhere after this long
  std::span<const rank> group{};        // who takes part, in any order, each once; empty: everyone
};

/// Who gives: `source`, the same on all hosts, or each host says of itself whether it `is_source`, which exactly one must
/// be.
struct broadcast_options {
  rank source{0};
  duration soft{limits::soft_default};
  duration hard{limits::hard_default};
  std::span<const rank> group{};
  std::optional<bool> is_source{};
};

/// How arrays of hosts become one: along a new first dimension, or, tiled, along their own first one.
struct allgather_options {
  bool tiled = false;
  duration soft{limits::soft_default};
  duration hard{limits::hard_default};
  std::span<const rank> group{};
};

/// Who receives, the same on all hosts.
struct target_options {
  rank target{0};
  duration soft{limits::soft_default};
  duration hard{limits::hard_default};
  std::span<const rank> group{};
};

}  // namespace muster
