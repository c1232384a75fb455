// Names compared whole and broadcasts of exact bytes, over real sockets and threads.
#include <bit>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/random.hpp>
#include <muster/tests/system/world_of_hosts.hpp>

namespace muster::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;

constexpr operation_options soon{1s, 20s};

TEST(NamesOverSockets, AreComparedWholeAndListedAtEveryHostWithTheRanksThatSaidThem) {
  world_of_hosts world(5, 1, 2);
  auto outcomes = world.everywhere([](host& h) {  // one CRC32 for both names
    return h.sync_global_devices(h.rank() == rank{4} ? "buckeroo" : "plumless", soon);
  });
  const auto verdict = outcomes[0].why();
  ASSERT_EQ(verdict.code, status_code::mismatch) << to_string(verdict);
  for (auto& o : outcomes) EXPECT_EQ(o.why(), verdict);
  rank_set listed = verdict.unheard;
  for (const auto& s : verdict.statements) {
    EXPECT_EQ(s.said.name, s.ranks.contains(rank{4}) ? "buckeroo" : "plumless");
    listed.merge(s.ranks);
  }
  EXPECT_EQ(verdict.statements.size(), 2u);
  EXPECT_EQ(listed, rank_set::of_range(rank{0}, rank{4})) << "every rank is accounted for";
}

TEST(NamesOverSockets, OfTwoHostsAreBothListed) {
  world_of_hosts world(2);
  auto outcomes = world.everywhere([](host& h) {
    return h.sync_global_devices(h.rank() == rank{0} ? "plumless" : "buckeroo", soon);
  });
  for (auto& o : outcomes) {
    const auto why = o.why();
    ASSERT_EQ(why.statements.size(), 2u) << to_string(why);
    for (const auto& s : why.statements)
      EXPECT_EQ(s.ranks, rank_set{rank{s.said.name == "plumless" ? 0u : 1u}});
  }
}

/// A tree with every leaf that something else might have changed on the way.
tree awkward_tree(std::uint64_t seed, std::size_t noise_words) {
  random_source random(seed);
  std::vector<std::uint64_t> noise(noise_words);
  for (auto& word : noise) word = random.next();
  std::vector<double> doubles;
  for (auto bits : noise) doubles.push_back(std::bit_cast<double>(bits));
  tree t;
  t.set("noise", bytes_leaf{payload::adopt(std::move(noise))});
  t.set("doubles", array::of(std::move(doubles)));
  t.set("signalling", array::of(std::vector<float>{std::bit_cast<float>(0x7fa0'0001u), -0.0F}));
  t.set("nan", std::bit_cast<double>(0xfff8'0000'dead'beefu)).set("-0", -0.0);
  t.set("text", std::string("a\0\xff", 3)).set("empty", tree::tuple{});
  t.set("no bytes", bytes_leaf{}).set("no rows", array::of(std::vector<float>{}, {0, 3}));
  return t;
}

TEST(BroadcastOverSockets, GivesEveryHostTheBytesOfTheSource) {
  world_of_hosts world(5, 1, 2);
  for (std::uint32_t source = 0; source < 5; ++source) {
    const auto sent = awkward_tree(source, source == 0 ? 60'000 : 100 * source);  // up to 1 MB
    const auto packed = pack(sent);
    for (auto& got : world.everywhere([&](host& h) {
           return h.rank() == rank{source} ? h.broadcast_one_to_all(sent, {rank{source}, 1s, 20s})
                                           : h.broadcast_one_to_all({rank{source}, 1s, 20s});
         }))
      EXPECT_EQ(pack(got.value()), packed) << "source " << source;
  }
}

TEST(BroadcastOverSockets, OfNothingIsNothing) {
  world_of_hosts world(3);
  for (const tree& sent : {tree{}, tree{tree::list{}}, tree{bytes_leaf{}}, tree{std::string{}}})
    for (auto& got : world.everywhere([&](host& h) { return h.broadcast_one_to_all(sent); }))
      EXPECT_EQ(got.value(), sent);
}

TEST(OneRealHost, GivesTheSameTypesShapesAndBytesAsThree) {
  const auto sent = awkward_tree(7, 10);
  std::vector<tree> given;
  std::vector<array> means;
  for (std::uint32_t hosts : {1u, 3u}) {
    world_of_hosts world(hosts);
    for (auto& got : world.everywhere([&](host& h) { return h.broadcast_one_to_all(sent); }))
      given.push_back(got.value());
    for (auto& got : world.everywhere([&](host& h) {
           std::vector<device_cover> covers{device_cover(0, 5)};
           for (auto leaf = h.rank().value; leaf < 5; leaf += hosts)
             covers[0].add(leaf, array::of(std::vector<double>(6, 1.0 / (leaf + 3)), {2, 3}));
           return h.all_reduce(covers, reduce_op::mean, soon);
         }))
      means.push_back(got.value());
  }
  EXPECT_THAT(given, Each(sent));
  EXPECT_THAT(means, Each(means[0]));
  EXPECT_EQ(means[0].dtype, dtype::f64);
  EXPECT_EQ(means[0].shape, (shape_vector{2, 3}));
}

}  // namespace
}  // namespace muster::testing
