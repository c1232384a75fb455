// A large broadcast between real processes: exact, in bounded memory, and nothing waits behind it.
#include <algorithm>
#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/limits.hpp>
#include <muster/tests/system/muster_process.hpp>

namespace muster {
namespace {

TEST(LargeBroadcast, IsExactTakesBoundedMemoryAndDelaysNoBarrier) {
  const auto run = run_muster({"run", "--hosts", "4", "--no-prefix", "--", BULK_PROGRAM, "256"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const std::regex line("right=(\\d) pings_first=(\\d) beyond_mib=(-?\\d+)");
  int hosts = 0;
  for (std::sregex_iterator at(run.output.begin(), run.output.end(), line), end; at != end; ++at) {
    ++hosts;
    EXPECT_EQ((*at)[1], "1") << "other bytes";
    EXPECT_EQ((*at)[2], "1") << "barriers that began after the broadcast waited for its end";
    // Windows on both sides of a relay, and what allocators and sockets keep.
    const auto most = 4 * static_cast<long>(limits::bulk_window_bytes >> 20);
    if (!MUSTER_SANITIZED) {
      EXPECT_LE(std::stol((*at)[3]), most) << run.output;
    }
  }
  EXPECT_EQ(hosts, 4) << run.output << run.errors;
}

}  // namespace
}  // namespace muster
