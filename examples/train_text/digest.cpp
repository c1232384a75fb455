#include <muster/examples/train_text/digest.hpp>

#include <bit>
#include <cstdio>

#include <xxhash.h>

namespace train_text {

static_assert(std::endian::native == std::endian::little, "a digest is of little-endian floats");

std::string digest_of(std::span<const float> values) {
  const XXH128_hash_t hash = XXH3_128bits(values.data(), values.size_bytes());
  std::string text(33, '\0');
  std::snprintf(text.data(), text.size(), "%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  text.pop_back();
  return text;
}

}  // namespace train_text
