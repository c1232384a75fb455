// What hosts compare instead of their parameters. A pure function; any thread.
#pragma once

#include <span>
#include <string>

namespace train_text {

/// XXH3-128 of the values' bytes, as 32 hexadecimal digits. Equal digests mean equal bits.
std::string digest_of(std::span<const float> values);

}  // namespace train_text
