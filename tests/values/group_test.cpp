#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/group.hpp>

namespace muster {
namespace {

TEST(Group, SortsItsMembers) {
  const auto group = rank_group::of({rank{7}, rank{0}, rank{3}}).value();
  EXPECT_THAT(group.members(), ::testing::ElementsAre(rank{0}, rank{3}, rank{7}));
  EXPECT_EQ(group[1], rank{3});
}

TEST(Group, IsTheSameWhateverOrderItsMembersWereGivenIn) {
  EXPECT_EQ(rank_group::of({rank{1}, rank{0}}).value(), rank_group::first(2));
}

TEST(Group, KnowsThePositionOfAMemberAndOfNobodyElse) {
  const auto group = device_group::of({device_index{2}, device_index{5}}).value();
  EXPECT_EQ(group.position_of(device_index{5}), 1u);
  EXPECT_EQ(group.position_of(device_index{3}), std::nullopt);
  EXPECT_FALSE(group.contains(device_index{9}));
}

TEST(Group, RefusesNobody) {
  EXPECT_EQ(rank_group::of({}).why().code, status_code::invalid_argument);
}

TEST(Group, RefusesAMemberThatIsGivenTwiceAndNamesIt) {
  const auto why = rank_group::of({rank{4}, rank{1}, rank{4}}).why();
  EXPECT_EQ(why.code, status_code::invalid_argument);
  EXPECT_THAT(why.text, ::testing::HasSubstr("4 is given twice"));
}

TEST(Group, PrintsItsMembersAsRanges) {
  EXPECT_EQ(to_string(rank_group::of({rank{0}, rank{1}, rank{2}, rank{7}}).value()), "0-2,7");
}

}  // namespace
}  // namespace muster
