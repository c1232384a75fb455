// What can be chosen about a training run, the same on every host. A value.
#pragma once

#include <cstdint>
#include <string>

#include <muster/messages/values/status.hpp>

namespace train_text {

/// Samples of one step, over all devices.
inline constexpr std::uint32_t batch_samples = 64;
inline constexpr std::uint64_t steps_max = 1'000'000;

struct train_options {
  std::uint64_t steps = 3'000;
  std::uint64_t seed = 1;
  /// Micro-batches of a step, the leaves of its reduction. They fix the bits of the result; hosts and
  /// devices do not.
  std::uint32_t leaves = 16;
  /// The step after which the digest is compared and reported, if the run gets there.
  std::uint64_t digest_at = 50;
  /// What that digest must be; empty: anything.
  std::string expect_digest = {};

  /// A run that ends by `digest_at` is made for its digest: it is too short to judge by its loss.
  [[nodiscard]] bool for_digest_only() const { return steps <= digest_at; }
};

/// invalid_argument with option, value and rule, for a world of `device_count` devices.
muster::status check(const train_options&, std::uint32_t device_count);

}  // namespace train_text
