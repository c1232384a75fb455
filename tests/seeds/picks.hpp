// Chance in a RapidCheck property: each pick is generated and shrunk by RapidCheck, which prints how to repeat a failure.
#pragma once

#include <cstdint>

#include <rapidcheck.h>

namespace muster::testing {

class picks {
 public:
  /// 0 to n - 1; n >= 1.
  std::uint64_t below(std::uint64_t n) { return *rc::gen::inRange<std::uint64_t>(0, n); }
  bool chance(double p) { return static_cast<double>(below(1'000)) < p * 1'000; }
};

}  // namespace muster::testing
