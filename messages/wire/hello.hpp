// How a link begins: the dialler's hello and the listener's answer. Values and pure functions; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/payload.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

/// The protocol versions that this build speaks, inclusive. A link speaks the highest that both
/// ends know.
inline constexpr std::uint32_t protocol_version_min = 1;
inline constexpr std::uint32_t protocol_version_max = 1;

/// The first frame of a link, on each lane.
struct hello {
  std::uint32_t version_min = protocol_version_min;
  std::uint32_t version_max = protocol_version_max;
  std::string job;
  std::string credential;  // compared, never logged or sent back
  muster::rank rank{};
  muster::incarnation incarnation;
  std::string control_endpoint;  // where the dialler itself is dialled
  std::string bulk_endpoint;
  std::uint32_t lane = 0;  // 0 control, 1 bulk
  std::uint64_t life = 0;  // from 1; grows with every dial of this incarnation
  friend bool operator==(const hello&, const hello&) = default;
};

struct welcome {
  muster::rank rank{};
  muster::incarnation incarnation;
  std::uint32_t version = protocol_version_max;
  friend bool operator==(const welcome&, const welcome&) = default;
};

struct refusal {
  status why;
  friend bool operator==(const refusal&, const refusal&) = default;
};

using answer = std::variant<welcome, refusal>;

payload encode_hello(const hello&);
payload encode_answer(const answer&);

/// `invalid_argument` with the reason for anything that is not such a frame. Fields of later
/// versions are skipped, so that any two versions can tell each other why they part.
result<hello> decode_hello(const payload&);
result<answer> decode_answer(const payload&);

}  // namespace muster
