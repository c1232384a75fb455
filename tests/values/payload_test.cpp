#include <gtest/gtest.h>

#include <muster/messages/values/payload.hpp>

namespace muster {
namespace {

TEST(Payload, IsEmptyAtFirst) {
  payload p;
  EXPECT_TRUE(p.empty());
  EXPECT_EQ(p.text(), "");
  EXPECT_EQ(p, payload::copy_of(""));
}

TEST(Payload, AdoptsAVectorWithoutCopyingIt) {
  std::vector<std::uint32_t> values{1, 2, 3};
  const void* where = values.data();
  auto p = payload::adopt(std::move(values));
  EXPECT_EQ(static_cast<const void*>(p.data()), where);
  EXPECT_EQ(p.size(), 12u);
}

TEST(Payload, CopiesShareTheBytesAndTheLastOneFreesThem) {
  auto owner = std::make_shared<const std::string>("abc");
  std::weak_ptr<const std::string> alive = owner;
  payload p(owner, std::as_bytes(std::span(*owner)));
  auto copy = p;
  owner.reset();
  p = {};
  EXPECT_EQ(copy.text(), "abc");
  copy = {};
  EXPECT_TRUE(alive.expired());
}

TEST(Payload, APartKeepsTheWholeAlive) {
  auto part = payload::copy_of("header body").part(7, 4);
  EXPECT_EQ(part.text(), "body");
}

TEST(Payload, IsEqualByItsBytesWhoeverOwnsThem) {
  EXPECT_EQ(payload::copy_of("same"), payload::copy_of("not same").part(4, 4));
  EXPECT_NE(payload::copy_of("same"), payload::copy_of("sam"));
  EXPECT_NE(payload::copy_of("same"), payload::copy_of("sane"));
}

TEST(PayloadDeathTest, APartOutsideIsOurBug) {
  auto p = payload::copy_of("four");
  EXPECT_TRUE(p.part(4, 0).empty());
  EXPECT_DEATH((void)p.part(5, 0), "lies inside");
  EXPECT_DEATH((void)p.part(1, SIZE_MAX), "lies inside");
}

}  // namespace
}  // namespace muster
