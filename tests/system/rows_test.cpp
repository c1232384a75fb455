// Every row over four real processes with two devices each, reported row by row.
#include <algorithm>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <muster/tests/rows/rows.hpp>
#include <muster/tests/system/muster_process.hpp>

namespace muster {
namespace {

constexpr int hosts = 4;

TEST(RowsOverProcesses, HoldAtEveryHost) {
  const auto run =
      run_muster({"run", "--hosts", std::to_string(hosts), "--devices", "2", "--", ROWS_PROGRAM});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  for (const auto& row : rows::all()) {
    const std::string begins = "] " + std::string(row.name) + ": ";
    int held = 0;
    std::istringstream lines(run.output);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(begins) == std::string::npos) continue;
      EXPECT_TRUE(line.ends_with(begins + "holds")) << line;
      ++held;
    }
    EXPECT_EQ(held, hosts) << row.name << " is reported by each host";
    std::printf("%-45s %d of %d hosts\n", std::string(row.name).c_str(), held, hosts);
  }
}

}  // namespace
}  // namespace muster
