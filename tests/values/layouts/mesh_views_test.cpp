#include <algorithm>
#include <set>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <muster/tests/seeds/picks.hpp>
#include <muster/tests/values/layouts/meshes.hpp>

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using names = std::vector<std::string>;

/// Four hosts with two devices each; host p owns row p.
mesh rows() { return make_mesh({{"x", 4}, {"y", 2}}, 4); }

std::vector<std::uint32_t> indices(const mesh& m) {
  std::vector<std::uint32_t> out;
  for (const auto& d : m.devices()) out.push_back(d.index.value);
  return out;
}

std::string members(const result<std::vector<device_group>>& groups) {
  std::string out;
  for (const auto& g : groups.value()) out += "{" + to_string(g) + "}";
  return out;
}

TEST(HostsOfAMesh, AreThoseThatOwnADevice) {
  EXPECT_EQ(to_string(rows().hosts()), "0-3");
  EXPECT_EQ(rows().positions_of(rank{2}), (std::vector<std::size_t>{4, 5}));
  EXPECT_TRUE(rows().positions_of(rank{4}).empty()) << "the mesh is remote to it";
}

TEST(LocalMesh, IsTheBoxOfAHostsDevices) {
  const auto local = rows().local_mesh(rank{1}).value();
  EXPECT_EQ(local.shape(), (shape_vector{1, 2}));
  EXPECT_THAT(indices(local), ElementsAre(2, 3));
  EXPECT_EQ(make_mesh({{"x", 8}}, 4).local_mesh(rank{3}).value().shape(), (shape_vector{2}));
}

TEST(LocalMesh, IsRefusedWhereAHostsDevicesAreNoBox) {
  // Host 0 has opposite corners.
  const auto m = mesh::of("", device_kind::cpu, {{"x", 2}, {"y", 2}},
                          {{device_index{0}, rank{0}},
                           {device_index{1}, rank{1}},
                           {device_index{2}, rank{1}},
                           {device_index{3}, rank{0}}})
                     .value();
  EXPECT_EQ(m.local_mesh(rank{0}).why().text,
            "the devices of host 0 are no box of the mesh: the smallest one around them also holds "
            "device 1 of host 1");
}

TEST(LocalMesh, IsRefusedWhereAHostHasNoDevice) {
  EXPECT_THAT(rows().local_mesh(rank{7}).why().text, HasSubstr("host 7 has no device"));
}

// Per dimension the first and last coordinate of a host's devices, by looking at each.
std::vector<std::pair<std::int64_t, std::int64_t>> hull(const mesh& m, rank host) {
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  for (const auto p : m.positions_of(host)) {
    const auto at = m.coordinates(p).value();
    if (out.empty())
      for (const auto c : at) out.emplace_back(c, c);
    for (std::size_t d = 0; d < at.size(); ++d)
      out[d] = {std::min(out[d].first, at[d]), std::max(out[d].second, at[d])};
  }
  return out;
}

RC_GTEST_PROP(LocalMesh, OfAnyMeshIsTheHullWhereThatHoldsNobodyElse, ()) {
  picks random;
  const auto m = random.chance(0.5) ? random_mesh(random) : random_mesh_of_boxes(random);
  const rank_group hosts = m.hosts();
  for (const rank host : hosts.members()) {
    std::size_t inside = 1;
    shape_vector shape;
    for (const auto& [first, last] : hull(m, host)) {
      shape.push_back(last - first + 1);
      inside *= static_cast<std::size_t>(shape.back());
    }
    const auto local = m.local_mesh(host);
    RC_ASSERT(local.ok() == (inside == m.positions_of(host).size()));
    if (!local.ok()) continue;
    RC_ASSERT(local.value().shape() == shape);
    std::vector<std::uint32_t> expected;
    for (const auto p : m.positions_of(host)) expected.push_back(m.devices()[p].index.value);
    RC_ASSERT(indices(local.value()) == expected);
  }
}

TEST(HostMesh, HasTheSameDevicesInHostMemoryAndNoName) {
  const auto gpus =
      mesh::of("train", device_kind::cuda, {{"x", 4}, {"y", 2}}, devices_on(4, 2)).value();
  EXPECT_EQ(gpus.host_mesh(), rows());
  EXPECT_EQ(rows().host_mesh(), rows());
  EXPECT_TRUE(mesh{}.host_mesh().empty());
}

TEST(SliceOfAMesh, HasTheDevicesInsideAllRanges) {
  const std::vector<mesh_range> middle{{"x", 1, 3}};
  const auto part = rows().slice(middle).value();
  EXPECT_EQ(part.shape(), (shape_vector{2, 2}));
  EXPECT_THAT(indices(part), ElementsAre(2, 3, 4, 5));
  const std::vector<mesh_range> corner{{"y", 1, 2}, {"x", 0, 1}};
  EXPECT_THAT(indices(rows().slice(corner).value()), ElementsAre(1));
  EXPECT_EQ(rows().slice({}).value(), rows());
}

TEST(SliceOfAMesh, RefusesRangesThatAreEmptyOutsideUnknownOrRepeated) {
  const auto why = [](std::vector<mesh_range> ranges) { return rows().slice(ranges).why().text; };
  EXPECT_THAT(why({{"x", 2, 2}}), HasSubstr("[2, 2) of 'x' must lie in [0, 4) and not be empty"));
  EXPECT_THAT(why({{"x", 0, 5}}), HasSubstr("[0, 5)"));
  EXPECT_THAT(why({{"x", -1, 2}}), HasSubstr("[-1, 2)"));
  EXPECT_THAT(why({{"z", 0, 1}}), HasSubstr("no mesh dimension 'z'"));
  EXPECT_THAT(why({{"x", 0, 1}, {"x", 1, 2}}), HasSubstr("'x' is named twice"));
}

RC_GTEST_PROP(SliceOfAMesh, HasWhatLiesInsideEveryRangeOnAnyMesh, ()) {
  picks random;
  const auto m = random_mesh(random);
  std::vector<mesh_range> ranges;
  shape_vector shape;
  for (const auto& d : m.dimensions()) {
    const auto first = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(d.size)));
    const auto size =
        1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(d.size - first)));
    ranges.push_back({d.name, first, first + size});
    shape.push_back(size);
  }
  std::vector<std::uint32_t> inside;
  for (std::size_t p = 0; p < m.size(); ++p) {
    const auto at = m.coordinates(p).value();
    bool in = true;
    for (std::size_t d = 0; d < at.size(); ++d)
      in &= at[d] >= ranges[d].first && at[d] < ranges[d].last;
    if (in) inside.push_back(m.devices()[p].index.value);
  }
  const auto slice = m.slice(ranges).value();
  RC_ASSERT(slice.shape() == shape);
  RC_ASSERT(indices(slice) == inside);
}

TEST(MeshAtACoordinate, HasOneDimensionLess) {
  const auto column = rows().at("y", 1).value();
  EXPECT_EQ(column.shape(), (shape_vector{4}));
  EXPECT_THAT(indices(column), ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(rows().at("y", 2).why().text, HasSubstr("it must be 0 to 1"));
  EXPECT_THAT(rows().at("q", 0).why().text, HasSubstr("'q'"));
  EXPECT_THAT(column.at("x", 0).why().text, HasSubstr("only dimension"));
}

TEST(ReducedMesh, ShrinksWhatIsNotNamedToItsFirstCoordinate) {
  EXPECT_THAT(indices(rows().reduced_to(names{"x"}).value()), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(indices(rows().reduced_to(names{}).value()), ElementsAre(0));
  EXPECT_EQ(rows().reduced_to(names{"y", "x"}).value(), rows());
  EXPECT_EQ(rows().reduced_to(names{"x"}).value().shape(), (shape_vector{4, 1}));
  EXPECT_FALSE(rows().reduced_to(names{"z"}).ok());
}

TEST(ReducedMesh, OfTwoHostsKeepsTheLocalDevicesInOrder) {
  const auto m = make_mesh({{"x", 4}, {"y", 2}}, 2);  // host 1 has devices 4 to 7
  const auto reduced = m.reduced_to(names{"x"}).value();
  EXPECT_EQ(reduced.positions_of(rank{1}), (std::vector<std::size_t>{2, 3}));
  EXPECT_TRUE(m.reduced_to(names{}).value().positions_of(rank{1}).empty());
}

TEST(ReducedMesh, OfAnotherOrderOfDevicesIsAnotherMesh) {
  auto devices = devices_on(2, 4);
  std::rotate(devices.begin() + 4, devices.begin() + 6, devices.end());  // 6, 7, 4, 5
  const auto m = mesh::of("", device_kind::cpu, {{"x", 4}, {"y", 2}}, devices).value();
  EXPECT_NE(m.reduced_to(names{"x", "y"}).value(), make_mesh({{"x", 4}, {"y", 2}}, 2));
}

TEST(GroupsOfAMesh, AreTheDevicesThatDifferAlongTheNamedDimensions) {
  EXPECT_EQ(to_string(rows().group()), "0-7");
  EXPECT_EQ(members(rows().groups_along(names{"y"})), "{0-1}{2-3}{4-5}{6-7}");
  EXPECT_EQ(members(rows().groups_along(names{"x"})), "{0,2,4,6}{1,3,5,7}");
  EXPECT_EQ(members(rows().groups_along(names{"x", "y"})), "{0-7}");
  EXPECT_EQ(members(make_mesh({{"x", 2}}).groups_along(names{})), "{0}{1}");
  EXPECT_FALSE(rows().groups_along(names{"x", "x"}).ok());
  EXPECT_EQ(to_string(rows().at("y", 0).value().group()), "0,2,4,6") << "of a slice";
}

RC_GTEST_PROP(GroupsOfAMesh, CutAnyMeshIntoEqualDisjointParts, ()) {
  picks random;
  const auto m = random_mesh(random);
  names along;
  for (const auto& d : m.dimensions())
    if (random.chance(0.5)) along.push_back(d.name);
  std::set<device_index> met;
  const auto groups = m.groups_along(along).value();
  for (const auto& g : groups) {
    RC_ASSERT(g.size() == groups.front().size());
    met.insert(g.members().begin(), g.members().end());
  }
  RC_ASSERT(groups.size() * groups.front().size() == m.size());
  RC_ASSERT(met.size() == m.size());
}

TEST(Fingerprint, IgnoresTheNameAndNothingElse) {
  const auto m = [](std::string name, device_kind kind, std::uint32_t hosts) {
    return mesh::of(std::move(name), kind, {{"x", 4}}, devices_on(hosts, 4 / hosts)).value();
  };
  const auto one = m("a", device_kind::cpu, 2);
  EXPECT_EQ(one.fingerprint(), m("b", device_kind::cpu, 2).fingerprint());
  EXPECT_NE(one, m("b", device_kind::cpu, 2));
  EXPECT_NE(one.fingerprint(), m("a", device_kind::cuda, 2).fingerprint());
  EXPECT_NE(one.fingerprint(), m("a", device_kind::cpu, 4).fingerprint());
}

}  // namespace
}  // namespace muster::testing
