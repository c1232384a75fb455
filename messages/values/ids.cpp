#include <muster/messages/values/ids.hpp>

namespace muster {

std::string to_string(rank r) { return r == launcher_rank ? "launcher" : std::to_string(r.value); }

std::string to_string(generation g) { return std::to_string(g.value); }

std::string to_string(const incarnation& life) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::uint64_t half : life.bits) {
    for (int shift = 60; shift >= 0; shift -= 4) out += digits[(half >> shift) & 15];
  }
  return out;
}

}  // namespace muster
