#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/inline_vector.hpp>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

inline_vector<int, 2> counted(int n) {
  inline_vector<int, 2> v;
  for (int i = 0; i < n; ++i) v.push_back(i);
  return v;
}

TEST(InlineVector, IsEmptyAtFirst) { EXPECT_THAT(counted(0), IsEmpty()); }

TEST(InlineVector, KeepsItsOrderFromNearToFar) {
  EXPECT_THAT(counted(2), ElementsAre(0, 1));
  EXPECT_THAT(counted(5), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(counted(5)[1], 1);
  EXPECT_EQ(counted(5)[4], 4);
}

TEST(InlineVector, LetsItsElementsBeChanged) {
  auto v = counted(3);
  for (int& e : v) e *= 10;
  v[2] += 1;
  EXPECT_THAT(v, ElementsAre(0, 10, 21));
}

TEST(InlineVector, HoldsWhatCanOnlyBeMoved) {
  inline_vector<std::unique_ptr<int>, 1> v;
  v.push_back(std::make_unique<int>(1));
  v.push_back(std::make_unique<int>(2));
  auto moved = std::move(v);
  EXPECT_EQ(*moved[0] + *moved[1], 3);
}

TEST(InlineVector, ThatWasMovedFromCanStillBeWalked) {
  auto v = counted(4);
  auto moved = std::move(v);
  int visited = 0;
  for (int e : v) visited += e >= 0 ? 1 : 0;  // NOLINT: the state after a move is what is tested
  EXPECT_LE(visited, 2);
  EXPECT_THAT(moved, ElementsAre(0, 1, 2, 3));
}

TEST(InlineVector, CopiesAreIndependent) {
  auto v = counted(3);
  auto copy = v;
  copy[2] = 9;
  EXPECT_THAT(v, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace muster
