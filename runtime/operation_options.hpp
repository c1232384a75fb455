// What every operation can be told by its caller: when to report, and when to fail. A value.
#pragma once

#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

/// Members of options structs are trivially destructible, all of them: g++ 12 destroys an aggregate
/// temporary inside a co_await expression twice.
struct operation_options {
  duration soft{limits::soft_default};  // report who is missing after this long, nothing fails
  duration hard{limits::hard_default};  // fail everywhere after this long
};

}  // namespace muster
