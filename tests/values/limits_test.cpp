#include <gtest/gtest.h>

#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster::limits {
namespace {

TEST(Limits, ReportBeforeTheyFail) {
  EXPECT_LT(soft_default, hard_default);
  EXPECT_LT(join_soft_default, join_timeout_default);
}

TEST(Limits, LetTheRootSettleBeforeAWaiterIsFenced) { EXPECT_LT(settle_max, lease_default); }

TEST(Limits, LetIntentsBeKnownAtTheSoftDeadline) { EXPECT_LT(intents_interval, soft_default); }

TEST(Limits, AcknowledgeSoonerThanIntentsAreReported) {
  EXPECT_LT(acknowledge_delay, intents_interval);
}

TEST(Limits, DialSeveralTimesWithinOneLease) {
  EXPECT_LT(dial_backoff_min, dial_backoff_max);
  EXPECT_LE(2 * dial_backoff_max, lease_default);
}

TEST(Limits, HoldAnInlineContributionInOneEnvelopeAndInOneStep) {
  EXPECT_LT(inline_bytes_max + header_bytes_max, envelope_bytes_max);
  EXPECT_LE(inline_bytes_max, step_bytes_max);
}

TEST(Limits, HoldAFrameOfEveryRankInOneEnvelope) { EXPECT_GE(payload_frames_max, world_size_max); }

TEST(Limits, HoldAFullIntentsReportInOneHeader) {
  EXPECT_LT(intents_max * name_bytes_max, header_bytes_max);
}

TEST(Limits, CountAllNamesOfAHostAboveOneName) { EXPECT_LT(untaken_rounds_max, untaken_total_max); }

TEST(Limits, KeepTheLauncherOutsideTheWorld) { EXPECT_GE(launcher_rank.value, world_size_max); }

TEST(Limits, LetDeviceNumbersFitTheirType) {
  EXPECT_LT(std::uint64_t{world_size_max} * devices_per_host_max, std::uint64_t{1} << 32);
}

TEST(Limits, PingSeveralTimesBeforeSilenceEndsAConnection) {
  EXPECT_LE(2 * ping_interval, silence_max);
}

TEST(Limits, HoldAHelloWithTheLongestOfEverything) {
  EXPECT_LT(2 * endpoint_bytes_max + job_bytes_max + credential_bytes_max, hello_bytes_max);
}

TEST(Limits, HoldALineInTheOutputOfAHost) {
  EXPECT_LT(output_line_bytes_max, output_buffer_bytes_max);
}

TEST(Limits, LetDefaultsBeNamedInTheEnvironment) {
  for (auto d : {soft_default, hard_default, lease_default, join_timeout_default, grace_default,
                 drain_default}) {
    EXPECT_LE(d, named_duration_max);
  }
}

TEST(Limits, LetEveryMemberBeOpenInItsOwnName) { EXPECT_GE(open_operations_max, world_size_max); }

TEST(Limits, AcknowledgeBeforeOutcomesOfAHostRunOut) {
  EXPECT_LT(unacknowledged_max, untaken_total_max);
}

TEST(Limits, HaveAFanOutThatIsATree) { EXPECT_GE(fan_out_default, 2u); }

}  // namespace
}  // namespace muster::limits
