#include <gtest/gtest.h>

#include <muster/messages/values/member.hpp>

namespace muster {
namespace {

member_table table_of(std::vector<std::uint32_t> device_counts) {
  member_table t{generation{1}, {}};
  for (std::uint32_t n : device_counts) {
    member m;
    m.rank = rank{t.world_size()};
    m.device_count = n;
    t.members.push_back(m);
  }
  return t;
}

TEST(MemberTable, NumbersDevicesByHostInRankOrder) {
  auto t = table_of({3, 0, 2});
  EXPECT_EQ(t.first_device(rank{0}), device_index{0});
  EXPECT_EQ(t.first_device(rank{1}), device_index{3});
  EXPECT_EQ(t.first_device(rank{2}), device_index{3});
  EXPECT_EQ(t.device_count(), 5u);
}

TEST(MemberTable, ThatIsEmptyHasNoDevices) {
  EXPECT_EQ(table_of({}).world_size(), 0u);
  EXPECT_EQ(table_of({}).device_count(), 0u);
}

}  // namespace
}  // namespace muster
