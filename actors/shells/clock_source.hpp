// The seam "clock": where shells learn what time it is. Cores never ask; they are told. Any thread.
#pragma once

#include <chrono>

#include <muster/messages/values/time.hpp>

namespace muster {

class clock_source {
 public:
  virtual ~clock_source() = default;
  /// Never goes back.
  [[nodiscard]] virtual time_point now() const = 0;
};

/// The machine's monotonic clock: production.
class steady_clock_source final : public clock_source {
 public:
  [[nodiscard]] time_point now() const override {
    return time_point(
        std::chrono::duration_cast<duration>(std::chrono::steady_clock::now().time_since_epoch()));
  }
};

}  // namespace muster
