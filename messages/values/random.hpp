// A seeded source of numbers that is a value: the same seed gives the same sequence on every
// machine. Not for secrets. Each thread uses its own copy.
#pragma once

#include <cstdint>

namespace muster {

/// SplitMix64 (Steele, Lea and Flood, 2014): one addition and a mixing function per number, any
/// seed is good.
class random_source {
 public:
  explicit constexpr random_source(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e37'79b9'7f4a'7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
    return z ^ (z >> 31);
  }

  /// A number in [0, bound), 0 when bound is 0. The bias is below bound / 2^64, far below what a
  /// test can see.
  constexpr std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : next() % bound; }

  /// A number in [first, last].
  constexpr std::uint64_t between(std::uint64_t first, std::uint64_t last) {
    const std::uint64_t count = last - first + 1;  // 0 for all that 64 bits can say
    return count == 0 ? next() : first + below(count);
  }

  /// True with this probability, to one part in 2^53.
  constexpr bool chance(double probability) {
    return static_cast<double>(next() >> 11) < probability * 9'007'199'254'740'992.0;
  }

 private:
  std::uint64_t state_;
};

}  // namespace muster
