#include <muster/messages/values/topology/core_ids.hpp>

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using counts = std::vector<std::uint32_t>;
using cores = std::vector<host_cores>;

result<std::vector<std::uint32_t>> merged(const cores& said, const counts& devices) {
  return merge_core_ids(said, devices);
}

TEST(CoreIds, OfTwoHostsFollowEachOtherInRankOrder) {
  const cores said{{rank{1}, {8, 9, 10, 11, 12, 13, 14, 15}}, {rank{0}, {0, 1, 2, 3, 4, 5, 6, 7}}};
  std::vector<std::uint32_t> all(16);
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(merged(said, {8, 8}).value(), all);
}

TEST(CoreIds, KeepTheOrderOfEachHost) {
  EXPECT_THAT(merged({{rank{0}, {3, 0}}, {rank{1}, {2, 1}}}, {2, 2}).value(),
              ElementsAre(3, 0, 2, 1));
}

TEST(CoreIds, MayComeFromUnequalHosts) {
  EXPECT_THAT(merged({{rank{0}, {0, 1, 2}}, {rank{1}, {}}, {rank{2}, {3}}}, {3, 0, 1}).value(),
              ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(merged({}, {}).value().empty());
}

TEST(CoreIds, ThatTwoHostsClaimNameBoth) {
  EXPECT_EQ(merged({{rank{0}, {0, 1}}, {rank{1}, {1, 2}}}, {2, 2}).why().text,
            "core 1 is claimed by host 0 and by host 1");
  EXPECT_EQ(merged({{rank{0}, {1, 1}}}, {2}).why().text, "core 1 is claimed by host 0 twice");
}

TEST(CoreIds, OfAHostThatSaidNothingAreNotZeros) {
  EXPECT_EQ(merged({{rank{1}, {1}}}, {1, 1, 1}).why().text,
            "hosts 0,2 have not said their core ids");
}

TEST(CoreIds, InAShortOrLongVectorNameTheHostAndBothNumbers) {
  EXPECT_EQ(merged({{rank{0}, {0}}}, {2}).why().text, "host 0 has 2 devices and says 1 core ids");
  EXPECT_EQ(merged({{rank{0}, {0, 1, 2}}}, {2}).why().text,
            "host 0 has 2 devices and says 3 core ids");
}

TEST(CoreIds, ThatLeaveAGapNameWhoIsTooLargeAndWhatNobodyHas) {
  EXPECT_EQ(merged({{rank{0}, {0, 1}}, {rank{1}, {7, 9}}}, {2, 2}).why().text,
            "core 9 of host 1 is not below the 4 devices of the world, and nobody has 2-3");
}

TEST(CoreIds, AreRefusedFromAHostOutsideTheWorldAndTwiceFromOne) {
  EXPECT_THAT(merged({{rank{5}, {0}}}, {1}).why().text,
              HasSubstr("host 5 says core ids, but the world has 1"));
  EXPECT_THAT(merged({{rank{0}, {0}}, {rank{0}, {0}}}, {1}).why().text,
              HasSubstr("host 0 says its core ids twice"));
}

TEST(CoreIds, OfTenThousandDevicesAreAPermutation) {
  cores said;
  for (std::uint32_t r = 0; r < 1250; ++r) {
    said.push_back({rank{r}, {}});
    for (std::uint32_t i = 0; i < 8; ++i) said.back().ids.push_back((r * 8 + i) * 7 % 10'000);
  }
  auto merged_ids = merged(said, counts(1250, 8)).value();
  std::ranges::sort(merged_ids);
  for (std::uint32_t i = 0; i < 10'000; ++i) ASSERT_EQ(merged_ids[i], i);
}

}  // namespace
}  // namespace muster::testing
