// What hosts compare instead of their parameters. A pure function; any thread.
#pragma once

#include <bit>
#include <span>
#include <string>

#include <muster/messages/values/payload.hpp>

namespace train_text {

/// XXH3-128 as 32 hexadecimal digits. Equal digests mean equal bytes.
std::string digest_of(muster::bytes_view bytes);

static_assert(std::endian::native == std::endian::little);
/// That of the values' bytes, which are little-endian here.
inline std::string digest_of(std::span<const float> values) {
  return digest_of(std::as_bytes(values));
}

}  // namespace train_text
