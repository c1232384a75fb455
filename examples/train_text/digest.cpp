#include <muster/examples/train_text/digest.hpp>

#include <cstdio>

#include <xxhash.h>

namespace train_text {

std::string digest_of(muster::bytes_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  std::string text(33, '\0');
  std::snprintf(text.data(), text.size(), "%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  text.pop_back();
  return text;
}

}  // namespace train_text
