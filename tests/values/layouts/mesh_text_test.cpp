#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <muster/tests/seeds/picks.hpp>
#include <muster/tests/values/layouts/meshes.hpp>

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

TEST(TextOfAMesh, HasNameDimensionsKindAndRunsOfDevicesByHost) {
  const auto m =
      mesh::of("train", device_kind::cuda, {{"x", 4}, {"y", 2}}, devices_on(2, 4)).value();
  EXPECT_EQ(to_string(m), "train|x=4,y=2|cuda|0:0-3,1:4-7");
  EXPECT_EQ(to_string(make_mesh({{"x", 1}})), "|x=1|cpu|0:0");
  EXPECT_EQ(to_string(mesh{}), "empty mesh");
}

TEST(TextOfAMesh, KeepsTheOrderOfDevices) {
  const auto m = mesh::of("", device_kind::cpu, {{"x", 4}},
                          {{device_index{1}, rank{0}},
                           {device_index{0}, rank{0}},
                           {device_index{4}, rank{1}},
                           {device_index{5}, rank{1}}})
                     .value();
  EXPECT_EQ(to_string(m), "|x=4|cpu|0:1,0:0,1:4-5");
}

RC_GTEST_PROP(TextOfAMesh, ReadsBackAsTheMesh, ()) {
  picks random;
  const auto m = random_mesh(random);
  RC_ASSERT(parse_mesh(to_string(m)).value() == m);
  RC_ASSERT(parse_mesh("empty mesh").value() == mesh{});
}

RC_GTEST_PROP(TextOfAMesh, OfAnyMeshWithOneCharacterChangedIsRefusedOrSaysItself, ()) {
  picks random;
  auto text = to_string(random_mesh(random));
  text[random.below(text.size())] = "0123456789,|=:-xy "[random.below(18)];
  if (const auto m = parse_mesh(text)) {
    RC_ASSERT(to_string(*m) == text);
  }
}

TEST(TextOfAMesh, IsRefusedWithPlaceAndRule) {
  const auto why = [](std::string_view text) { return parse_mesh(text).why().text; };
  EXPECT_EQ(why(""),
            "'' is not a mesh (name|x=4,y=2|cuda|0:0-3,1:4-7): at offset 0 there is the end "
            "in place of '|' behind the name");
  EXPECT_THAT(why("|x4|cpu|0:0-3"), HasSubstr("in place of '=' and the size"));
  EXPECT_THAT(why("|x=04|cpu|0:0-3"),
              HasSubstr("offset 3 there is '04|cpu|0:0-3' in place of a whole number"));
  EXPECT_THAT(why("|x=|cpu|0:0"), HasSubstr("a whole number"));
  EXPECT_THAT(why("|x=99999999999999999999|cpu|0:0"), HasSubstr("a whole number up to"));
  EXPECT_THAT(why("|x=4|tpu|0:0-3"), HasSubstr("a kind of device, cpu or cuda"));
  EXPECT_THAT(why("|x=4|cpu|0-3"), HasSubstr("':' and the devices of the host"));
  EXPECT_THAT(why("|x=4|cpu|0:3-0"), HasSubstr("ascending order"));
  EXPECT_THAT(why("|x=4|cpu|0:0-4294967295"), HasSubstr("ascending order, at most"));
  EXPECT_THAT(why("|x=4|cpu|0:0-3,"), HasSubstr("a whole number"));
  EXPECT_THAT(why("|x=4|cpu|0:0-3 "), HasSubstr("or the end"));
  EXPECT_THAT(why("|x=4|cpu|0:0-2"), HasSubstr("3 devices for a mesh with x=4"));
  EXPECT_THAT(why("|x=4|cpu"), HasSubstr("'|' behind the kind"));
  EXPECT_THAT(why("|x=2|cpu|0:0,0:1"),
              HasSubstr("the one way to write this mesh, '|x=2|cpu|0:0-1'"));
}

TEST(TextOfAMesh, OfSixtyFiveThousandDevicesIsShortWhereTheyAreInOrder) {
  const auto m = make_mesh({{"x", 256}, {"y", 256}});
  EXPECT_EQ(to_string(m), "|x=256,y=256|cpu|0:0-65535");
  EXPECT_EQ(parse_mesh(to_string(m)).value(), m);
}

}  // namespace
}  // namespace muster::testing
