#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/rank_set.hpp>

namespace muster {
namespace {

std::string bytes(std::initializer_list<int> list) {
  std::string out;
  for (int b : list) out += static_cast<char>(b);
  return out;
}

rank_set every(std::uint32_t step, std::uint32_t count) {
  rank_set s;
  for (std::uint32_t i = 0; i < count; ++i) s.insert(rank{i * step});
  return s;
}

TEST(RankSetBytes, AreRangesWhereThoseAreShorter) {
  EXPECT_EQ(rank_set{}.encode(), bytes({1}));
  EXPECT_EQ(rank_set::of_range(rank{0}, rank{9'999}).encode(), bytes({1, 0, 0x8f, 0x4e}));
  EXPECT_EQ((rank_set{rank{2}, rank{100}}.encode()), bytes({1, 2, 0, 96, 0}));
}

TEST(RankSetBytes, AreABitmapWhereThatIsShorter) {
  EXPECT_EQ((rank_set{rank{0}, rank{1}, rank{2}, rank{3}, rank{7}}.encode()), bytes({2, 0, 0x8f}));
  EXPECT_EQ((rank_set{rank{300}, rank{302}, rank{308}}.encode()),
            bytes({2, 0xac, 0x02, 0x05, 0x01}));
}

TEST(RankSetBytes, OfEverySecondRankTakeABitForEachRankOfTheWorld) {
  EXPECT_LE(every(2, 5'000).encode().size(), 1'300u);
  EXPECT_LE(every(2, 10'000).encode().size(), 2'600u);
}

TEST(RankSetBytes, HoldAWholeWorldAndNoRankAboveIt) {
  const auto world = rank_set::of_range(rank{0}, rank{limits::world_size_max - 1});
  EXPECT_EQ(rank_set::decode(world.encode()), world);
  const auto alternating = every(2, limits::world_size_max / 2);
  EXPECT_EQ(rank_set::decode(alternating.encode()), alternating);
  EXPECT_FALSE(rank_set::decode(rank_set{rank{limits::world_size_max}}.encode()));
  EXPECT_FALSE(
      rank_set::decode(rank_set::of_range(rank{5}, rank{limits::world_size_max}).encode()));
  EXPECT_FALSE(rank_set::decode(every(2, limits::world_size_max / 2 + 1).encode()));
  EXPECT_FALSE(rank_set::decode(rank_set{rank{1}, launcher_rank}.encode()));
  const rank_set bits_across_the_limit{rank{65'530}, rank{65'532}, rank{65'534}, rank{65'536}};
  EXPECT_EQ(bits_across_the_limit.encode().front(), 2);
  EXPECT_FALSE(rank_set::decode(bits_across_the_limit.encode()));
}

TEST(RankSetBytes, CannotSayThatRangesTouch) {
  // The smallest distance, zero, leaves out rank 61.
  auto s = rank_set::of_range(rank{0}, rank{60});
  s.insert_range(rank{62}, rank{122});
  EXPECT_EQ(rank_set::decode(bytes({1, 0, 60, 0, 60})), s);
}

TEST(RankSetBytes, HaveOneSpelling) {
  EXPECT_TRUE(rank_set::decode(bytes({1, 7, 0})));
  EXPECT_FALSE(rank_set::decode(bytes({1, 0x87, 0, 0}))) << "a padded varint";
  EXPECT_FALSE(rank_set::decode(bytes({1, 0, 3, 2, 0}))) << "ranges where the bitmap is shorter";
  EXPECT_FALSE(rank_set::decode(bytes({2, 7, 1}))) << "a bitmap where ranges are as short";
  EXPECT_FALSE(rank_set::decode(bytes({2, 0, 0x8e}))) << "a bitmap that starts with nothing";
  EXPECT_FALSE(rank_set::decode(bytes({2, 0, 0x8f, 0}))) << "a bitmap that ends with nothing";
  EXPECT_FALSE(rank_set::decode(bytes({2, 0}))) << "a bitmap of nothing";
}

TEST(RankSetBytes, ThatAreCutOrUnknownAreRefused) {
  EXPECT_FALSE(rank_set::decode(""));
  EXPECT_FALSE(rank_set::decode(bytes({0})));
  EXPECT_FALSE(rank_set::decode(bytes({3, 0, 0})));
  EXPECT_FALSE(rank_set::decode(bytes({1, 7})));
  EXPECT_FALSE(rank_set::decode(bytes({1, 7, 0x80})));
  EXPECT_FALSE(rank_set::decode(bytes({2})));
  EXPECT_FALSE(rank_set::decode(bytes({1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0})));
}

TEST(RankSetBytes, OfAnEndlessBitmapAreRefusedUnread) {
  EXPECT_FALSE(rank_set::decode(bytes({2, 0}) + std::string(std::size_t{1} << 20, '\x01')));
}

rank_set random_set() {
  rank_set s;
  const auto spread = *rc::gen::element(60u, 2'000u, limits::world_size_max);
  const auto longest = *rc::gen::element(1u, 5u, 4'000u);
  for (auto first : *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0u, spread))) {
    const auto last = first + *rc::gen::inRange(0u, longest);
    s.insert_range(rank{first}, rank{std::min(last, limits::world_size_max - 1)});
  }
  return s;
}

RC_GTEST_PROP(RankSetBytes, AreReadBackAsTheSameSet, ()) {
  const auto s = random_set();
  RC_ASSERT(rank_set::decode(s.encode()) == s);
}

RC_GTEST_PROP(RankSetBytes, OfAnyKindAreWrittenBackAsTheyWereOrRefused, (std::string noise)) {
  if (!noise.empty()) noise[0] = static_cast<char>(*rc::gen::inRange(0, 4));
  if (const auto s = rank_set::decode(noise)) RC_ASSERT(s->encode() == noise);
}

RC_GTEST_PROP(RankSetBytes, WithOneByteChangedAreAnotherSetOrRefused, ()) {
  const auto s = random_set();
  auto changed = s.encode();
  const auto at = *rc::gen::inRange<std::size_t>(0, changed.size());
  changed[at] = static_cast<char>(changed[at] ^ *rc::gen::inRange(1, 256));
  RC_ASSERT(rank_set::decode(changed) != s);
}

RC_GTEST_PROP(RankSetBytes, WithAByteMoreOrLessAreNotTheSameSet, ()) {
  const auto s = random_set();
  const auto whole = s.encode();
  RC_ASSERT(rank_set::decode(whole.substr(0, whole.size() - 1)) != s);
  RC_ASSERT(rank_set::decode(whole + '\0') != s);
}

}  // namespace
}  // namespace muster
