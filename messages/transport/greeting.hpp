// What the two ends of a link demand of each other before it carries anything. Pure functions; any
// thread.
#pragma once

#include <optional>

#include <muster/messages/transport/transport.hpp>
#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/status.hpp>
#include <muster/messages/wire/hello.hpp>

namespace muster {

hello make_hello(const transport_identity&, const endpoints& ours, lane, std::uint64_t life);

/// The welcome for a hello, or `refused` with a text that names both values (of a credential only
/// that it differs).
result<welcome> judge_hello(const transport_identity& ours, const hello&);

/// ok, or `refused` naming both when somebody else than the one we dialled has answered.
status judge_welcome(rank dialled, const std::optional<incarnation>& expected, const welcome&);

}  // namespace muster
