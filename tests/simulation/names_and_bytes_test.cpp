// Names are compared whole, a broadcast is bytes, and one host behaves as many do: over the simulated network,
// which carries encoded frames.
#include <bit>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/random.hpp>
#include <muster/runtime/simulation/simulation.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::UnorderedElementsAre;

simulation_options hosts_in_a_tree(std::uint32_t hosts) {
  simulation_options o;
  o.hosts = hosts;
  o.fan_out = 2;
  return o;
}

/// Calls `f(host)` at every host, then runs until all have ended.
template <class F>
auto everywhere(simulation& world, F f) {
  using value = typename decltype(f(world.at(rank{0})))::value_type;
  std::vector<op<value>> calls;
  for (std::uint32_t r = 0; r < world.world_size(); ++r) calls.push_back(f(world.at(rank{r})));
  std::vector<result<value>> out;
  for (auto& call : calls) out.push_back(call.wait());
  return out;
}

statement said(std::string name, rank_set ranks) {
  signature s;
  s.kind = op_kind::sync_global_devices;
  s.name = std::move(name);
  return {s, std::move(ranks)};
}

/// The last rank says `other`, the rest `name`: how it ends at every host.
std::vector<status> sync_with_one_other(const std::string& name, const std::string& other,
                                        std::uint32_t hosts) {
  simulation world(hosts_in_a_tree(hosts));
  EXPECT_TRUE(world.join().ok());
  std::vector<status> out;
  for (auto& o : everywhere(world, [&](host& h) {
         return h.sync_global_devices(h.rank().value + 1 == hosts ? other : name, {1s, 10s});
       }))
    out.push_back(o.why());
  return out;
}

TEST(NamesInAVirtualWorld, AreComparedWholeAndNotByAChecksumThatTheyShare) {
  const auto ended = sync_with_one_other("plumless", "buckeroo", 9);  // one CRC32 for both
  EXPECT_EQ(ended[0].code, status_code::mismatch);
  EXPECT_THAT(ended, Each(ended[0])) << "one verdict for all";
  for (const auto& s : ended[0].statements) EXPECT_FALSE(s.ranks.empty());
  EXPECT_TRUE(ended[0].missing().empty());
}

TEST(NamesInAVirtualWorld, AreListedWithTheRanksThatSaidThemAndTheRanksNotHeard) {
  const auto ended = sync_with_one_other("plumless", "buckeroo", 9);
  rank_set listed = ended[0].unheard;
  for (const auto& s : ended[0].statements) {
    EXPECT_EQ(s.said.name, s.ranks.contains(rank{8}) ? "buckeroo" : "plumless");
    EXPECT_TRUE(s.ranks.intersection(listed).empty()) << "a rank says one thing";
    listed.merge(s.ranks);
  }
  EXPECT_EQ(listed, rank_set::of_range(rank{0}, rank{8})) << "every rank is accounted for";
}

TEST(NamesInAVirtualWorld, AreListedWholeWhenAllHaveBeenHeard) {
  simulation world(hosts_in_a_tree(2));
  ASSERT_TRUE(world.join().ok());
  const auto ended = everywhere(world, [](host& h) {
    return h.sync_global_devices(h.rank() == rank{0} ? "plumless" : "buckeroo", {1s, 10s});
  });
  for (const auto& o : ended)
    EXPECT_THAT(o.why().statements,
                UnorderedElementsAre(said("plumless", {rank{0}}), said("buckeroo", {rank{1}})));
}

TEST(NamesInAVirtualWorld, DifferInTheirLastByteOnlyOrAfterAZero) {
  const std::string longest(limits::name_bytes_max - 1, 'n');
  const std::string zero("a\0", 2);
  for (const auto& [name, other] :
       {std::pair{longest + "x", longest + "y"}, {zero + "x", zero + "y"}, {"x", "x "}})
    for (const auto& s : sync_with_one_other(name, other, 4))
      EXPECT_EQ(s.code, status_code::mismatch) << to_string(s);
}

tree awkward_tree(std::uint64_t seed) {
  random_source random(seed);
  std::vector<std::uint32_t> noise(10'000);
  for (auto& x : noise) x = static_cast<std::uint32_t>(random.next());
  std::vector<float> floats;
  for (auto bits : noise)
    floats.push_back(std::bit_cast<float>(bits));  // NaNs of every payload too
  tree t;
  t.set("noise", bytes_leaf{payload::adopt(std::move(noise))});
  t.set("floats", array::of(std::move(floats), {100, 100}));
  t.set("signalling", array::of(std::vector<float>{std::bit_cast<float>(0x7fa0'0001u)}));
  t.set("nan", std::bit_cast<double>(0xfff8'0000'dead'beefu));
  t.set("-0", -0.0).set("scalar", array::of(std::vector<double>{-0.0}, {}));
  t.set("text", std::string("a\0\xff", 3)).set("", tree::list{});
  t.set("no bytes", bytes_leaf{}).set("no rows", array::of(std::vector<float>{}, {0, 3}));
  return t;
}

TEST(BroadcastInAVirtualWorld, GivesEveryHostTheBytesOfTheSource) {
  for (std::uint32_t source : {0u, 3u, 6u}) {
    const auto sent = awkward_tree(source);
    const auto packed = pack(sent);
    simulation world(hosts_in_a_tree(7));
    ASSERT_TRUE(world.join().ok());
    for (auto& got : everywhere(world, [&](host& h) {
           return h.rank() == rank{source} ? h.broadcast_one_to_all(sent, {rank{source}})
                                           : h.broadcast_one_to_all({rank{source}});
         }))
      EXPECT_EQ(pack(got.value()), packed);
  }
}

TEST(BroadcastInAVirtualWorld, OfNothingIsNothing) {
  for (const tree& sent : {tree{}, tree{tree::list{}}, tree{bytes_leaf{}}, tree{std::string{}}}) {
    simulation world(hosts_in_a_tree(3));
    ASSERT_TRUE(world.join().ok());
    for (auto& got : everywhere(world, [&](host& h) { return h.broadcast_one_to_all(sent); }))
      EXPECT_EQ(got.value(), sent);
  }
}

TEST(OneHost, BroadcastsTheSameTypesShapesAndBytesAsMany) {
  const auto sent = awkward_tree(1);
  for (std::uint32_t hosts : {1u, 2u, 5u}) {
    simulation world(hosts_in_a_tree(hosts));
    ASSERT_TRUE(world.join().ok());
    for (auto& got : everywhere(world, [&](host& h) { return h.broadcast_one_to_all(sent); })) {
      EXPECT_EQ(got.value(), sent);
      EXPECT_EQ(leaf_paths(got.value()), leaf_paths(sent));
    }
  }
}

/// Five leaves over one device per host, reduced.
template <class T>
std::vector<result<array>> reduce_five(std::uint32_t hosts, const shape_vector& shape,
                                       reduce_op how) {
  simulation world(hosts_in_a_tree(hosts));
  EXPECT_TRUE(world.join().ok());
  const auto elements = static_cast<std::size_t>(element_count(shape));
  return everywhere(world, [&](host& h) {
    std::vector<device_cover> covers{device_cover(0, 5)};
    for (auto leaf = h.rank().value; leaf < 5; leaf += hosts)
      covers[0].add(leaf,
                    array::of(std::vector<T>(elements, T{1} / static_cast<T>(leaf + 3)), shape));
    return h.all_reduce(covers, how);
  });
}

TEST(OneHost, ReducesToTheSameTypesShapesAndBytesAsMany) {
  for (const auto& shape : {shape_vector{}, {0}, {1}, {2, 3}, {0, 3}})
    for (auto how : {reduce_op::sum, reduce_op::mean}) {
      const auto alone = reduce_five<float>(1, shape, how)[0].value();
      EXPECT_EQ(alone.dtype, dtype::f32);
      EXPECT_EQ(alone.shape, shape);
      const auto alone64 = reduce_five<double>(1, shape, how)[0].value();
      EXPECT_EQ(alone64.dtype, dtype::f64);
      for (auto& got : reduce_five<float>(4, shape, how)) EXPECT_EQ(got.value(), alone);
      for (auto& got : reduce_five<double>(4, shape, how)) EXPECT_EQ(got.value(), alone64);
    }
}

}  // namespace
}  // namespace muster
