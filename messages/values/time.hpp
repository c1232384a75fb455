// Time as every box below the runtime knows it: a clock type of ours that cannot be asked what time it is.
#pragma once

#include <chrono>
#include <cstdint>

namespace muster {

/// Nanoseconds since an origin that only the seam "clock" knows. It has no `now`: a core is told.
struct clock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<clock>;
  static constexpr bool is_steady = true;
};

using duration = clock::duration;
using time_point = clock::time_point;

inline constexpr time_point never = time_point::max();

/// `t + d`, but `never` when that is not representable: an option of "forever" must not wrap around.
constexpr time_point after(time_point t, duration d) {
  if (d > duration::zero() && t > never - d) return never;
  return t + d;
}

}  // namespace muster
