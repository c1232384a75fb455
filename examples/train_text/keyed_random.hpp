// Random numbers that depend on a key alone: which seed, which step, which sample, what for. So a draw is
// the same on whatever host or device it is made. A value; any thread may use its own.
#pragma once

#include <cstdint>

namespace train_text {

/// What a draw is for; the numbers are part of the key, and changing one changes every digest.
enum class purpose : std::uint64_t {
  initial_parameters = 1,
  position = 2,
  dropout = 3,
  generation = 4
};

/// The splitmix64 sequence that starts at a mix of the key.
class keyed_random {
 public:
  keyed_random(std::uint64_t seed, purpose what, std::uint64_t step = 0, std::uint64_t sample = 0)
      : state_(mix(mix(mix(mix(seed) + static_cast<std::uint64_t>(what)) + step) + sample)) {}

  std::uint64_t bits() { return mix(state_ += golden); }

  /// Uniform in [0, n), n > 0. The bias of n / 2^32 is of no concern for texts and alphabets.
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(((bits() >> 32) * n) >> 32);
  }

  /// Uniform in [0, 1), a multiple of 2^-24.
  float unit() { return static_cast<float>(bits() >> 40) * 0x1p-24F; }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace train_text
