// Members and the table of them as bytes: what hosts contribute to join, and what join gives back.
// Pure functions; any thread.
#pragma once

#include <muster/messages/values/member.hpp>
#include <muster/messages/values/payload.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

payload encode_member(const member&);
payload encode_table(const member_table&);

/// Strict: `invalid_argument` with the reason. A table's members are numbered 0, 1, 2, ... without
/// a gap, there are at most limits::world_size_max of them with limits::devices_per_host_max
/// devices each, and no two share an incarnation.
result<member> decode_member(const payload&);
result<member_table> decode_table(const payload&);

}  // namespace muster
