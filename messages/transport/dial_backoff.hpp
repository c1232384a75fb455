// How long to wait before a peer is dialled again. A pure function; any thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/random.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

/// The pause after `attempts` dials in a row that failed: dial_backoff_min doubled that often, at
/// most dial_backoff_max, less up to half of it at random, so that the hosts of a lost peer don't
/// dial in step.
inline duration dial_backoff(std::uint32_t attempts, random_source& random) {
  duration pause = limits::dial_backoff_min;
  for (std::uint32_t i = 0; i < attempts && pause < limits::dial_backoff_max; ++i) pause *= 2;
  pause = std::min(pause, limits::dial_backoff_max);
  return pause - duration{static_cast<duration::rep>(
                     random.below(static_cast<std::uint64_t>(pause.count() / 2)))};
}

}  // namespace muster
