// Chance in a RapidCheck property: each pick is generated and shrunk by RapidCheck, which prints how to repeat a failure.
#pragma once

#include <cstdint>

#include <rapidcheck.h>

namespace muster::testing {

class picks {
 public:
  /// 0 to n - 1, each as likely as any other from the first case on; n >= 1.
  std::uint64_t below(std::uint64_t n) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(0, n));
  }
  bool chance(double p) { return static_cast<double>(below(1'000)) < p * 1'000; }
};

}  // namespace muster::testing
