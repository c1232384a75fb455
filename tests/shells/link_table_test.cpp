#include <muster/actors/shells/link_table.hpp>

#include <gtest/gtest.h>

#include <muster/tests/shells/fake_network.hpp>

namespace muster::testing {
namespace {

constexpr time_point t0{};
const endpoints home{"h:1", "h:2"}, elsewhere{"e:1", "e:2"};
const incarnation first{{1, 0}};

struct LinkTable : ::testing::Test {
  fake_network net;
  fake_transport over{net, {"job", "", rank{1}, {}}};
  link_table links{over};
};

TEST_F(LinkTable, DialsEachLinkOnce) {
  links.keep(t0, rank{2}, home, first);
  links.keep(t0, rank{2}, home, first);
  EXPECT_EQ(over.count.dials, 1u);
}

TEST_F(LinkTable, DialsAgainAtAnotherAddress) {
  links.keep(t0, rank{2}, home, std::nullopt);
  links.keep(t0, rank{2}, elsewhere, std::nullopt);
  EXPECT_EQ(over.links.at(rank{2}).where, elsewhere);
}

TEST_F(LinkTable, LeavesALinkThatIsUpUntilItsLifeEnds) {
  links.keep(t0, rank{2}, home, std::nullopt);
  links.on_up(rank{2});
  links.keep_or_redial(t0, rank{2}, elsewhere, first);
  EXPECT_EQ(over.links.at(rank{2}).where, home);
  EXPECT_TRUE(links.on_down(t0, rank{2}));
  EXPECT_EQ(over.links.at(rank{2}).where, elsewhere);
}

TEST_F(LinkTable, KnowsWhatIsUp) {
  links.keep(t0, rank{2}, home, first);
  EXPECT_FALSE(links.is_up(rank{2}));
  links.on_up(rank{2});
  EXPECT_TRUE(links.is_up(rank{2}));
  links.on_down(t0, rank{2});
  EXPECT_FALSE(links.is_up(rank{2}));
}

TEST_F(LinkTable, HearsNothingOfLinksThatItHasHungUp) {
  links.keep(t0, rank{2}, home, first);
  links.hang_up(rank{2});
  EXPECT_FALSE(links.on_down(t0, rank{2}));
  EXPECT_TRUE(over.links.empty());
}

TEST_F(LinkTable, MakesALinkAgain) {
  links.keep(t0, rank{2}, home, first);
  links.on_up(rank{2});
  links.remake(t0, rank{2});
  EXPECT_FALSE(links.is_up(rank{2}));
  EXPECT_EQ(over.count.dials, 2u);
}

}  // namespace
}  // namespace muster::testing
