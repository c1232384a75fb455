// Which seeds a test of random schedules runs: MUSTER_SEED is the first (1 unless set), MUSTER_SEEDS how many. A
// failure prints both for the one seed that failed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace muster::testing {

struct seed_range {
  std::uint64_t first = 1;
  std::uint64_t count = 1;
  [[nodiscard]] std::uint64_t end() const { return first + count; }
  /// One seed run again: it need not meet everything that many would.
  [[nodiscard]] bool is_replay() const { return count == 1; }
};

inline seed_range seeds_to_run(std::uint64_t count_unless_set) {
  auto number = [](const char* variable, std::uint64_t otherwise) {
    const char* text = std::getenv(variable);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
  };
  return {number("MUSTER_SEED", 1), number("MUSTER_SEEDS", count_unless_set)};
}

/// The command that runs this test again with this seed alone.
inline std::string replay(std::uint64_t seed, const std::string& program) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return "replay: MUSTER_SEED=" + std::to_string(seed) + " MUSTER_SEEDS=1 " + program +
         " --gtest_filter=" + test->test_suite_name() + "." + test->name();
}

}  // namespace muster::testing
