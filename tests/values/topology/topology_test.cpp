#include <muster/messages/values/topology/topology.hpp>

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <muster/tests/seeds/picks.hpp>

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

local_topology host(std::uint32_t r, std::string boot, std::vector<std::uint32_t> ordinals,
                    std::string fabric = "") {
  local_topology out{rank{r}, std::move(boot), {}, {}};
  for (auto o : ordinals)
    out.devices.push_back({o, device_kind::cuda, "H200", "NVIDIA", 132, fabric});
  return out;
}

local_topology in_partition(local_topology local, std::uint32_t index) {
  local.partition_index = index;
  return local;
}

result<global_topology> merged(std::vector<local_topology> said) {
  std::uint32_t hosts = 0;
  for (const auto& l : said) hosts = std::max(hosts, l.host.value + 1);
  return merge(said, hosts);
}

std::vector<std::uint32_t> partitions(const result<global_topology>& t) {
  std::vector<std::uint32_t> out;
  for (const auto& d : t.value().devices) out.push_back(d.partition);
  return out;
}

/// "0/0 0/1 1/0": host and ordinal by device index.
std::string order(const result<global_topology>& t) {
  std::string out;
  for (const auto& d : t.value().devices)
    out +=
        (out.empty() ? "" : " ") + to_string(d.host) + "/" + std::to_string(d.description.ordinal);
  return out;
}

TEST(Topology, NumbersTheDevicesOfAllHosts) {
  const auto t = merged({host(0, "foo", {0, 1}), host(1, "bar", {0, 1})});
  EXPECT_EQ(order(t), "0/0 0/1 1/0 1/1");
  EXPECT_EQ(t.value().devices[2].index, device_index{2});
  EXPECT_EQ(t.value().devices[2].description.name, "H200");
}

TEST(Topology, HasOnePartitionPerBootId) {
  const auto t = merged({host(0, "foo", {0, 1}), host(1, "bar", {0, 1})});
  EXPECT_THAT(partitions(t), ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(t.value().symmetry, (topology_symmetry{2, 1, 2}));
}

TEST(Topology, HasOnePartitionPerFabricWhereEveryDeviceIsOnOne) {
  EXPECT_THAT(partitions(merged({host(0, "a", {0, 1}, "f1"), host(1, "b", {0, 1}, "f1")})),
              ElementsAre(0, 0, 0, 0));
  const auto t = merged({host(0, "a", {0}, "f1"), host(1, "b", {0}, "f1"), host(2, "c", {0}, "f2"),
                         host(3, "d", {0}, "f2")});
  EXPECT_THAT(partitions(t), ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(t.value().symmetry, (topology_symmetry{2, 2, 1}));
}

TEST(Topology, GoesByBootIdsWhereOneDeviceIsOnNoFabric) {
  EXPECT_THAT(partitions(merged({host(0, "a", {0}, "f"), host(1, "b", {0}, "")})),
              ElementsAre(0, 1));
}

TEST(Topology, TakesExplicitPartitionsAsTheyAreAndOrdersDevicesByThem) {
  const auto t =
      merged({in_partition(host(0, "same", {0, 1}), 1), in_partition(host(1, "same", {0, 1}), 0)});
  EXPECT_EQ(order(t), "1/0 1/1 0/0 0/1");
  EXPECT_THAT(partitions(t), ElementsAre(0, 0, 1, 1));
}

TEST(Topology, RefusesExplicitPartitionsAtSomeHostsOnly) {
  EXPECT_EQ(
      merged({host(0, "a", {0}), in_partition(host(1, "b", {0}), 3)}).why().text,
      "host 1 gives partition index 3 and host 0 gives none: all hosts give one, or none does");
}

TEST(Topology, IsNotSymmetricWithUnequalHostsOrPartitions) {
  EXPECT_EQ(
      merged({host(0, "foo", {0}), host(1, "foo", {0}), host(2, "bar", {0})}).value().symmetry,
      std::nullopt);
  EXPECT_EQ(merged({host(0, "foo", {0, 1}), host(1, "bar", {0})}).value().symmetry, std::nullopt);
}

TEST(Topology, TakesTheSameDescriptionTwice) {
  const auto once = merged({host(0, "a", {0}), host(1, "b", {0})});
  EXPECT_EQ(merged({host(0, "a", {0}), host(1, "b", {0}), host(1, "b", {0})}).value(),
            once.value());
}

TEST(Topology, RefusesAHostThatDescribesItselfInTwoWays) {
  const auto why = [](local_topology other) {
    return merged({host(0, "a", {0}), std::move(other)}).why().text;
  };
  EXPECT_EQ(why(host(0, "a", {0, 1})),
            "host 0 describes its devices in two ways: 1 devices and then 2");
  EXPECT_THAT(why(host(0, "b", {0})), HasSubstr("boot id 'a' and then 'b'"));
  EXPECT_THAT(why(in_partition(host(0, "a", {0}), 2)),
              HasSubstr("partition index none and then 2"));
  EXPECT_THAT(why(host(0, "a", {1})),
              HasSubstr("(ordinal 0, cuda 'H200' by 'NVIDIA', 132 cores, fabric '') "
                        "and then (ordinal 1"));
}

TEST(Topology, KeepsTheOrderOfHostsAndOfTheirDevices) {
  EXPECT_EQ(order(merged({host(1, "b", {1}), host(0, "a", {0, 1, 707})})), "0/0 0/1 0/707 1/1");
}

TEST(Topology, OfOneHostNumbersItsDevicesInLocalOrder) {
  EXPECT_EQ(order(merged({host(0, "a", {5, 0, 3})})), "0/5 0/0 0/3");
}

TEST(Topology, OfElevenHostsInOnePartitionGoesFromZeroToTen) {
  std::vector<local_topology> said;
  for (std::uint32_t r = 11; r-- > 0;) said.push_back(host(r, "one", {0}));
  EXPECT_EQ(order(merged(said)), "0/0 1/0 2/0 3/0 4/0 5/0 6/0 7/0 8/0 9/0 10/0");
}

TEST(Topology, OrdersElevenHostsByNumberNotByText) {
  std::vector<local_topology> said;
  for (std::uint32_t r = 0; r < 11; ++r) said.push_back(host(r, r % 2 ? "odd" : "even", {0}));
  const auto t = merged(said);
  EXPECT_EQ(order(t), "0/0 2/0 4/0 6/0 8/0 10/0 1/0 3/0 5/0 7/0 9/0");
  EXPECT_THAT(partitions(t), ElementsAre(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1));
}

TEST(Topology, NamesHostsThatHaveSaidNothing) {
  const std::vector<local_topology> said{host(1, "b", {0})};
  EXPECT_EQ(merge(said, 5).why().text, "hosts 0,2-4 have not described their devices");
  EXPECT_FALSE(merge({}, 0).ok());
  EXPECT_EQ(merge({}, 4'294'967'295).why().text,
            "a world of 4294967295 hosts: it has at most 65536");
}

TEST(Topology, RefusesAHostOutsideTheWorldAnOrdinalTwiceAndAHostOnTwoFabrics) {
  const std::vector<local_topology> outside{host(0, "a", {0}), host(1, "b", {0})};
  EXPECT_THAT(merge(outside, 1).why().text,
              HasSubstr("host 1 describes its devices, but the world has 1"));
  EXPECT_THAT(merged({host(0, "a", {3, 3})}).why().text, HasSubstr("has ordinal 3 twice"));
  auto both = host(0, "a", {0, 1}, "f1");
  both.devices[1].fabric_id = "f2";
  EXPECT_THAT(merged({both}).why().text, HasSubstr("on two fabrics, 'f1' and 'f2'"));
}

TEST(Topology, TakesAHostWithoutDevices) {
  EXPECT_EQ(order(merged({host(0, "a", {}), host(1, "a", {0})})), "1/0");
  EXPECT_TRUE(merged({host(0, "a", {})}).value().devices.empty());
}

RC_GTEST_PROP(Topology, IsTheSameWhateverOrderTheHostsCameIn, ()) {
  picks random;
  std::vector<local_topology> said;
  for (std::uint32_t r = 0; r < 1 + random.below(20); ++r) {
    std::vector<std::uint32_t> ordinals(random.below(4));
    for (std::uint32_t i = 0; i < ordinals.size(); ++i) ordinals[i] = i;
    said.push_back(host(r, std::string(1, static_cast<char>('a' + random.below(3))), ordinals,
                        random.chance(0.9) ? "f" : ""));
  }
  const auto straight = merged(said).value();
  for (std::size_t i = said.size(); i > 1; --i) std::swap(said[i - 1], said[random.below(i)]);
  RC_ASSERT(merged(said).value() == straight);
  for (std::uint32_t i = 0; i < straight.devices.size(); ++i)
    RC_ASSERT(straight.devices[i].index == device_index{i});
}

}  // namespace
}  // namespace muster::testing
