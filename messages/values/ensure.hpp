// An assertion that stays in release: for our own bugs, never for what a peer, a user or a device did.
// Any thread may call it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string_view>

namespace muster {

namespace detail {

/// Prints place and text on stderr and aborts.
[[noreturn]] inline void fail_ensure(std::string_view what, const std::source_location& where) {
  std::fprintf(stderr, "%s:%u: %s: our bug: %.*s\n", where.file_name(),
               static_cast<unsigned>(where.line()), where.function_name(),
               static_cast<int>(what.size()), what.data());
  std::fflush(stderr);
  std::abort();
}

}  // namespace detail

/// Aborts unless `condition` holds. `what` is the rule, as a sentence; where it takes work to build, test
/// the condition first and call `ensure(false, text)`.
constexpr void ensure(bool condition, std::string_view what,
                      std::source_location where = std::source_location::current()) {
  if (!condition) [[unlikely]]
    detail::fail_ensure(what, where);
}

}  // namespace muster
