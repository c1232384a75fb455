// The launcher's clock. It is no part of a world that could be simulated.
#pragma once

#include <chrono>

#include <muster/messages/values/time.hpp>

namespace muster {

inline time_point steady_now() {
  return time_point(
      std::chrono::duration_cast<duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

}  // namespace muster
