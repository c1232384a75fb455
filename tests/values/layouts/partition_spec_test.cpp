#include <muster/messages/values/layouts/partition_spec.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <muster/messages/values/limits.hpp>
#include <muster/tests/seeds/picks.hpp>
#include <muster/tests/values/layouts/meshes.hpp>

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

TEST(PartitionSpec, HasNoAxisOneAxisOrSeveralPerDimension) {
  const auto spec = partition_spec::of({"x", "", "y+z"}).value();
  ASSERT_EQ(spec.size(), 3u);
  EXPECT_EQ(std::get<mesh_axes>(spec[0]), mesh_axes{"x"});
  EXPECT_TRUE(std::get<mesh_axes>(spec[1]).empty());
  EXPECT_EQ(std::get<mesh_axes>(spec[2]), (mesh_axes{"y", "z"}));
  EXPECT_EQ(spec.axes(), (mesh_axes{"x", "y", "z"}));
  EXPECT_EQ(partition_spec{}.size(), 0u);
}

TEST(PartitionSpec, RefusesAMeshDimensionThatComesTwice) {
  EXPECT_THAT(partition_spec::of({"x", "x"}).why().text, HasSubstr("'x' stands in '[x,x]' twice"));
  EXPECT_THAT(partition_spec::of({"x+y", "", "y"}).why().text, HasSubstr("'y'"));
  EXPECT_TRUE(partition_spec::of({"match", "match"}).ok()) << "each is another dimension's";
}

TEST(PartitionSpec, RefusesNamesThatNoMeshCanHave) {
  for (const char* name : {"a b", "x+", "+", "x+scalar", "any", "scalar", "x+match", "a,b"})
    EXPECT_EQ(partition_spec::of({name}).why().code, status_code::invalid_argument) << name;
}

TEST(PartitionSpec, RefusesMoreDimensionsThanAnArrayMayHave) {
  const std::vector<dimension_sharding> many(limits::array_rank_max + 1, mesh_axes{});
  EXPECT_THAT(partition_spec::of(many).why().text, HasSubstr("33 dimensions"));
}

TEST(PartitionSpec, IsPaddedToAnArraysRank) {
  const auto spec = partition_spec::of({"x"}).value();
  EXPECT_EQ(spec.padded(3).value(), partition_spec::of({"x", "", ""}).value());
  EXPECT_EQ(spec.padded(0).why().text, "'[x]' has 1 dimensions and the array has 0");
}

TEST(PartitionSpec, IsEquivalentToOneWithUnshardedDimensionsAtItsEnd) {
  const auto spec = [](std::initializer_list<std::string_view> words) {
    return partition_spec::of(words).value();
  };
  EXPECT_TRUE(equivalent(spec({"x"}), spec({"x", "", ""})));
  EXPECT_TRUE(equivalent(spec({"", ""}), spec({})));
  EXPECT_FALSE(equivalent(spec({"x"}), spec({"x", "y"})));
  EXPECT_FALSE(equivalent(spec({}), spec({"match"})));
  EXPECT_FALSE(equivalent(spec({"x+y"}), spec({"y+x"})));
  EXPECT_NE(spec({"x"}), spec({"x", ""}));
}

TEST(TextOfASpec, NamesEveryDimension) {
  EXPECT_EQ(to_string(partition_spec::of({"x", "", "y+z", "match"}).value()),
            "[x,unsharded,y+z,match]");
  EXPECT_EQ(to_string(partition_spec{}), "[]");
}

RC_GTEST_PROP(TextOfASpec, ReadsBackAsTheSpec, ()) {
  picks random;
  const auto spec = random_layout(random, random_mesh(random)).spec();
  RC_ASSERT(parse_partition_spec(to_string(spec)).value() == spec);
}

TEST(TextOfASpec, IsRefusedWithPlaceAndRule) {
  const auto why = [](std::string_view text) { return parse_partition_spec(text).why().text; };
  EXPECT_EQ(why("x,y"),
            "'x,y' is not a spec ([x,unsharded,y+z]): at offset 0 there is 'x,y' in place "
            "of '['");
  EXPECT_THAT(why("[x"), HasSubstr("offset 2 there is the end in place of ',' or ']'"));
  EXPECT_THAT(why("[x,]"), HasSubstr("in place of a mesh dimension, unsharded or match"));
  EXPECT_THAT(why("[,x]"), HasSubstr("offset 1"));
  EXPECT_THAT(why("[x] "), HasSubstr("in place of the end"));
  EXPECT_THAT(why("[x, y]"), HasSubstr("' y'"));
  EXPECT_THAT(why("[x,x]"), HasSubstr("twice"));
  EXPECT_THAT(why("[x+]"), HasSubstr("the name ''"));
  EXPECT_FALSE(parse_partition_spec("").ok());
}

}  // namespace
}  // namespace muster::testing
