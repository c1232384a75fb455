// The codec: an envelope becomes a Protobuf header and raw payload frames, and back. Pure
// functions; any thread may call them.
#pragma once

#include <vector>

#include <muster/messages/values/control.hpp>
#include <muster/messages/values/payload.hpp>
#include <muster/messages/values/status.hpp>

namespace muster {

struct encoded {
  payload header;
  std::vector<payload> frames;  // shared with the envelope, not copied
};

/// What was built here is well formed, so this cannot fail. A remaining time below zero (a deadline
/// that has just passed) is written as zero.
encoded encode(const envelope&);

/// Strict, since a peer can send anything: `invalid_argument` with the field and the rule it breaks
/// for bytes that are no header, fields or enum numbers that this version does not know, missing
/// parts, names beyond limits::name_bytes_max, ranks beyond limits::world_size_max, negative
/// durations, a number of frames other than the header announces, or a frame beyond
/// limits::inline_bytes_max.
result<envelope> decode(const payload& header, std::vector<payload> frames);

}  // namespace muster
