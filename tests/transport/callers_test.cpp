#include <gtest/gtest.h>

#include <muster/messages/transport/callers.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

using standing = callers::standing;

caller_id on(lane l, const std::string& key) { return {l, key}; }

hello of_life(std::uint64_t number, std::uint64_t incarnation_bits = 1, std::uint32_t of_rank = 5) {
  hello h;
  h.rank = rank{of_rank};
  h.incarnation = {{incarnation_bits, 0}};
  h.life = number;
  return h;
}

TEST(Callers, KnowNobodyAtFirst) {
  EXPECT_EQ(callers{}.find(on(lane::control, "a")).standing, standing::unknown);
}

TEST(Callers, WaitForTheHelloOfBothLanes) {
  callers c;
  EXPECT_EQ(c.admit(on(lane::control, "a"), of_life(1)), standing::halfway);
  EXPECT_EQ(c.find(on(lane::control, "a")).standing, standing::halfway);
  EXPECT_EQ(c.admit(on(lane::bulk, "a"), of_life(1)), standing::current);
  EXPECT_EQ(c.find(on(lane::control, "a")).standing, standing::current);
  EXPECT_EQ(c.find(on(lane::control, "a")).rank, rank{5});
}

TEST(Callers, PutANewerLifeInThePlaceOfAnOlderOne) {
  callers c;
  c.admit(on(lane::control, "a"), of_life(1));
  c.admit(on(lane::bulk, "a"), of_life(1));
  EXPECT_EQ(c.admit(on(lane::bulk, "b"), of_life(2)), standing::halfway);
  EXPECT_EQ(c.find(on(lane::control, "a")).standing, standing::stale);
  EXPECT_EQ(c.find(on(lane::bulk, "a")).standing, standing::stale);
  EXPECT_EQ(c.admit(on(lane::control, "b"), of_life(2)), standing::current);
}

TEST(Callers, NeverPutAnOlderLifeInThePlaceOfANewerOne) {
  callers c;
  c.admit(on(lane::control, "b"), of_life(2));
  EXPECT_EQ(c.admit(on(lane::control, "a"), of_life(1)), standing::stale);
  EXPECT_EQ(c.find(on(lane::control, "a")).standing, standing::stale);
  EXPECT_EQ(c.find(on(lane::control, "b")).standing, standing::halfway);
}

TEST(Callers, TakeOneConnectionPerLaneOfALife) {
  callers c;
  c.admit(on(lane::control, "a"), of_life(1));
  EXPECT_EQ(c.admit(on(lane::control, "b"), of_life(1)), standing::stale);
}

TEST(Callers, PutAnotherIncarnationInThePlaceOfTheLastWhateverItsLife) {
  callers c;
  c.admit(on(lane::control, "a"), of_life(9, 1));
  c.admit(on(lane::bulk, "a"), of_life(9, 1));
  EXPECT_EQ(c.admit(on(lane::control, "b"), of_life(1, 2)), standing::halfway);
  EXPECT_EQ(c.find(on(lane::bulk, "a")).standing, standing::stale);
}

TEST(Callers, KeepRanksApart) {
  callers c;
  c.admit(on(lane::control, "a"), of_life(1, 1, 5));
  c.admit(on(lane::control, "b"), of_life(2, 2, 6));
  EXPECT_EQ(c.find(on(lane::control, "a")).standing, standing::halfway);
}

TEST(Callers, RememberReplacedConnectionsUpToALimit) {
  callers c;
  const std::uint64_t lives = limits::replaced_callers_max + 10;
  for (std::uint64_t life = 1; life <= lives; ++life)
    c.admit(on(lane::control, std::to_string(life)), of_life(life));
  EXPECT_EQ(c.size(), limits::replaced_callers_max + 1);
  EXPECT_EQ(c.find(on(lane::control, "1")).standing, standing::unknown);
  EXPECT_EQ(c.find(on(lane::control, std::to_string(lives - 1))).standing, standing::stale);
}

}  // namespace
}  // namespace muster
