#include <muster/messages/values/layouts/mesh.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <muster/messages/values/limits.hpp>
#include <muster/tests/seeds/picks.hpp>
#include <muster/tests/values/layouts/meshes.hpp>

namespace muster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

result<mesh> of(std::vector<mesh_dimension> dimensions, std::vector<mesh_device> devices,
                std::string name = "") {
  return mesh::of(std::move(name), device_kind::cpu, std::move(dimensions), std::move(devices));
}

result<mesh> of(std::vector<mesh_dimension> dimensions, std::uint32_t devices) {
  return of(std::move(dimensions), devices_on(1, devices));
}

TEST(Mesh, IsEmptyUnlessMade) {
  const mesh none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.shape(), shape_vector{});
  EXPECT_EQ(none, mesh{});
  EXPECT_FALSE(none.find("x"));
  EXPECT_THAT(none.size_of("x").why().text, HasSubstr("no dimensions"));
}

TEST(Mesh, HasItsDevicesInRowMajorOrder) {
  const auto m = make_mesh({{"batch", 2}, {"x", 3}}, 2);
  EXPECT_EQ(m.size(), 6u);
  EXPECT_EQ(m.shape(), (shape_vector{2, 3}));
  EXPECT_EQ(m.devices()[4], (mesh_device{device_index{4}, rank{1}}));
  EXPECT_EQ(m.coordinates(4).value(), (mesh_coordinates{1, 1}));
  EXPECT_EQ(m.find("x"), 1u);
  EXPECT_EQ(m.size_of("batch").value(), 2);
  EXPECT_FALSE(m.find("y"));
}

TEST(Mesh, NamesTheDimensionThatItDoesNotHaveAndThoseThatItHas) {
  const auto why = make_mesh({{"batch", 4}, {"x", 2}}).size_of("q").why();
  EXPECT_EQ(why.code, status_code::invalid_argument);
  EXPECT_EQ(why.text, "there is no mesh dimension 'q': the mesh has batch=4,x=2");
}

TEST(Mesh, HasStridesInDevices) {
  EXPECT_EQ(make_mesh({{"a", 8}}).strides(), (shape_vector{1}));
  EXPECT_EQ(make_mesh({{"a", 2}, {"b", 4}, {"c", 2}}).strides(), (shape_vector{8, 2, 1}));
  EXPECT_EQ(make_mesh({{"a", 8}, {"b", 16}, {"c", 2}, {"d", 4}}).strides(),
            (shape_vector{128, 8, 4, 1}));
}

TEST(Mesh, FindsCoordinatesAndRefusesAPositionThatIsNone) {
  const auto m = make_mesh({{"x", 4}, {"y", 8}});
  EXPECT_EQ(m.coordinates(10).value(), (mesh_coordinates{1, 2}));
  EXPECT_EQ(m.coordinates(18).value(), (mesh_coordinates{2, 2}));
  EXPECT_EQ(m.coordinates(31).value(), (mesh_coordinates{3, 7}));
  EXPECT_EQ(m.coordinates(32).why().text, "position 32 in a mesh of 32 devices: it must be less");
}

TEST(Mesh, FindsThePositionOfCoordinatesAndRefusesThoseOutside) {
  const auto m = make_mesh({{"x", 4}, {"y", 8}});
  EXPECT_EQ(m.position(mesh_coordinates{3, 7}).value(), 31u);
  EXPECT_THAT(m.position(mesh_coordinates{4, 0}).why().text,
              HasSubstr("4 along 'x': it must be 0 to 3"));
  EXPECT_THAT(m.position(mesh_coordinates{0, -1}).why().text, HasSubstr("-1 along 'y'"));
  EXPECT_THAT(m.position(mesh_coordinates{0}).why().text, HasSubstr("1 coordinates"));
}

TEST(Mesh, UnravelsEveryDevice) {
  EXPECT_THAT(make_mesh({{"x", 2}, {"y", 2}}).unravel(),
              ElementsAre(Pair(device_index{0}, mesh_coordinates{0, 0}),
                          Pair(device_index{1}, mesh_coordinates{0, 1}),
                          Pair(device_index{2}, mesh_coordinates{1, 0}),
                          Pair(device_index{3}, mesh_coordinates{1, 1})));
}

TEST(Mesh, TakesDevicesInAnyOrderAndFindsThem) {
  const auto m =
      of({{"x", 3}},
         {{device_index{7}, rank{1}}, {device_index{2}, rank{0}}, {device_index{5}, rank{0}}})
          .value();
  EXPECT_EQ(m.position_of(device_index{7}), 0u);
  EXPECT_EQ(m.position_of(device_index{5}), 2u);
  EXPECT_FALSE(m.position_of(device_index{0}));
  EXPECT_FALSE(m.position_of(device_index{9}));
}

TEST(Mesh, LetsTheDevicesDecideOneSize) {
  EXPECT_EQ(of({{"x", -1}}, 5).value().shape(), (shape_vector{5}));
  EXPECT_EQ(of({{"x", 2}, {"y", -1}, {"z", 3}}, 24).value().shape(), (shape_vector{2, 4, 3}));
  EXPECT_THAT(of({{"x", 2}, {"y", -1}}, 5).why().text,
              HasSubstr("5 devices for a mesh with x=2,y=-1: they must be a multiple of 2"));
  EXPECT_THAT(of({{"x", -1}, {"y", -1}}, 4).why().text, HasSubstr("'x' and 'y' both"));
  EXPECT_FALSE(of({{"x", -1}}, std::vector<mesh_device>{}).ok());
}

TEST(Mesh, LeavesTheCallersDimensionsAlone) {
  const std::vector<mesh_dimension> mine{{"x", -1}};
  (void)of(mine, 4);
  EXPECT_EQ(mine, (std::vector<mesh_dimension>{{"x", -1}}));
}

TEST(Mesh, RefusesAnotherNumberOfDevicesThanItsShapeTakes) {
  EXPECT_EQ(of({{"x", 2}, {"y", 3}}, 4).why().text,
            "4 devices for a mesh with x=2,y=3: it takes 6");
  EXPECT_FALSE(of({{"x", 1}}, 2).ok());
  EXPECT_TRUE(of({{"x", 2}}, 2).ok());
}

TEST(Mesh, RefusesADeviceThatStandsInItTwice) {
  EXPECT_EQ(of({{"x", 3}},
               {{device_index{1}, rank{0}}, {device_index{0}, rank{0}}, {device_index{1}, rank{0}}})
                .why()
                .text,
            "device 1 stands in the mesh twice, at positions 0 and 2");
}

TEST(Mesh, RefusesDimensionsThatMakeNoSense) {
  EXPECT_THAT(of({}, 1).why().text, HasSubstr("at least one dimension"));
  EXPECT_THAT(of({{"x", 0}}, std::vector<mesh_device>{}).why().text, HasSubstr("'x' has size 0"));
  EXPECT_THAT(of({{"x", -2}}, 1).why().text, HasSubstr("size -2"));
  EXPECT_THAT(of({{"x", 1}, {"x", 1}}, 1).why().text, HasSubstr("'x' is given twice"));
  EXPECT_THAT(of({{"x", 1LL << 40}, {"y", 1LL << 40}}, 1).why().text, HasSubstr("more than"));
  EXPECT_FALSE(of(std::vector<mesh_dimension>(limits::mesh_dimensions_max + 1, {"x", 1}), 1).ok());
}

TEST(Mesh, RefusesNamesThatWouldNotReadBack) {
  for (const std::string name : {"", "a b", "a,b", "a|b", "a=b", "a+b", "[", "\n", "\xc3\xa4"})
    EXPECT_THAT(of({{name, 1}}, 1).why().text, HasSubstr("letters, digits")) << name;
  for (const std::string name : {"unsharded", "match", "any", "scalar"})
    EXPECT_THAT(of({{name, 1}}, 1).why().text, HasSubstr("reserved")) << name;
  EXPECT_FALSE(of({{std::string(limits::mesh_name_bytes_max + 1, 'a'), 1}}, 1).ok());
  EXPECT_TRUE(of({{std::string(limits::mesh_name_bytes_max, 'a'), 1}}, 1).ok());
  EXPECT_THAT(of({{"x", 1}}, devices_on(1, 1), "my mesh").why().text, HasSubstr("'my mesh'"));
}

// ---- of all hosts' devices

TEST(MeshOverHosts, HasAllTheirDevicesWhateverOrderTheyComeIn) {
  const std::vector<host_devices> hosts{
      {rank{1}, device_kind::cuda, {device_index{2}, device_index{3}}},
      {rank{0}, device_kind::cuda, {device_index{1}, device_index{0}}}};
  const auto m = mesh::over("", {{"x", -1}}, hosts).value();
  EXPECT_EQ(m.kind(), device_kind::cuda);
  EXPECT_EQ(m, mesh::of("", device_kind::cuda, {{"x", 4}}, devices_on(2, 2)).value());
}

TEST(MeshOverHosts, NamesTheHostsThatClaimTheSameDevice) {
  const std::vector<host_devices> hosts{
      {rank{0}, device_kind::cpu, {device_index{0}, device_index{1}}},
      {rank{3}, device_kind::cpu, {device_index{1}}}};
  EXPECT_EQ(mesh::over("", {{"x", -1}}, hosts).why().text,
            "device 1 is claimed by host 0 and by host 3");
}

TEST(MeshOverHosts, NamesTheDeviceThatNoHostHas) {
  const std::vector<host_devices> hosts{{rank{0}, device_kind::cpu, {device_index{0}}},
                                        {rank{1}, device_kind::cpu, {device_index{2}}}};
  EXPECT_THAT(mesh::over("", {{"x", -1}}, hosts).why().text,
              HasSubstr("no host has device 1, but host 1 has device 2"));
}

TEST(MeshOverHosts, RefusesDevicesOfTwoKindsAndAHostThatIsListedTwice) {
  const std::vector<host_devices> kinds{{rank{0}, device_kind::cpu, {device_index{0}}},
                                        {rank{1}, device_kind::cuda, {device_index{1}}}};
  EXPECT_THAT(mesh::over("", {{"x", -1}}, kinds).why().text,
              HasSubstr("host 0 has cpu and host 1 has cuda"));
  const std::vector<host_devices> twice{{rank{0}, device_kind::cpu, {device_index{0}}},
                                        {rank{0}, device_kind::cpu, {device_index{1}}}};
  EXPECT_THAT(mesh::over("", {{"x", -1}}, twice).why().text, HasSubstr("host 0 is listed twice"));
  EXPECT_FALSE(mesh::over("", {{"x", -1}}, {}).ok());
}

TEST(MeshOverHosts, TakesHostsWithUnequalNumbersOfDevices) {
  const std::vector<host_devices> hosts{
      {rank{0}, device_kind::cpu, {device_index{0}, device_index{1}, device_index{2}}},
      {rank{1}, device_kind::cpu, {device_index{3}}}};
  EXPECT_EQ(mesh::over("", {{"x", 2}, {"y", 2}}, hosts).value().devices()[3].host, rank{1});
}

// ---- large and random ones

TEST(Mesh, OfSixtyFiveThousandDevicesIsFoundByIndexAndCopiedForNothing) {
  const auto m = make_mesh({{"x", 256}, {"y", 256}}, 8192);
  const mesh copy = m;
  EXPECT_EQ(copy.devices().data(), m.devices().data()) << "copies share one description";
  EXPECT_EQ(m.position_of(device_index{65'535}), 65'535u);
  EXPECT_EQ(m.coordinates(65'535).value(), (mesh_coordinates{255, 255}));
}

RC_GTEST_PROP(Mesh, FindsEveryDeviceOfAnyMeshByIndexAndByCoordinates, ()) {
  picks random;
  const auto m = random_mesh(random);
  for (std::size_t p = 0; p < m.size(); ++p) {
    RC_ASSERT(m.position_of(m.devices()[p].index) == p);
    RC_ASSERT(m.position(m.coordinates(p).value()).value() == p);
  }
}

}  // namespace
}  // namespace muster::testing
