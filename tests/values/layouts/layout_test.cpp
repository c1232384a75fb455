#include <muster/messages/values/layouts/layout.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <muster/tests/seeds/picks.hpp>
#include <muster/tests/values/layouts/meshes.hpp>

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

using dims = std::vector<std::size_t>;

mesh square() { return make_mesh({{"batch", 2}, {"x", 2}}); }

std::string spec_of(const result<layout>& l) { return to_string(l.value().spec()); }

TEST(Layout, RefusesADimensionThatTheMeshDoesNotHave) {
  EXPECT_EQ(layout::of(partition_spec::of({"z"}).value(), square()).why().text,
            "there is no mesh dimension 'z': the mesh has batch=2,x=2");
}

TEST(Layout, CountsTheShardsOfEachDimension) {
  const auto l = make_layout({"x", "batch"}, make_mesh({{"x", 4}, {"batch", 8}}));
  EXPECT_EQ(l.shard_counts().value(), (std::vector<std::int64_t>{4, 8}));
  EXPECT_FALSE(l.is_fully_replicated());
  EXPECT_EQ(make_layout({"x+batch", ""}, l.mesh()).shard_counts().value(),
            (std::vector<std::int64_t>{32, 1}));
}

TEST(Layout, HasNoShardCountWhereItSaysMatch) {
  const auto l = make_layout({"batch", "match"}, square());
  EXPECT_EQ(l.shard_count(0), 2);
  EXPECT_EQ(l.shard_count(1), std::nullopt);
  EXPECT_FALSE(l.is_fully_replicated());
  EXPECT_THAT(l.shard_counts().why().text, HasSubstr("[batch,match] has match"));
  EXPECT_FALSE(l.shard_of(0).ok());
  EXPECT_FALSE(l.slice_of(0, {4, 4}).ok());
}

TEST(Layout, IsFullyReplicatedOverDimensionsOfSizeOneToo) {
  EXPECT_TRUE(layout::replicated(square(), 3).is_fully_replicated());
  EXPECT_TRUE(make_layout({"y"}, make_mesh({{"x", 2}, {"y", 1}})).is_fully_replicated());
  EXPECT_TRUE(layout::replicated(square(), 0).is_fully_replicated());
}

TEST(BatchSharded, ShardsTheFirstDimension) {
  const auto l = layout::batch_sharded(square(), "batch", 2).value();
  EXPECT_EQ(l, make_layout({"batch", ""}, square()));
  EXPECT_EQ(l.shard_counts().value(), (std::vector<std::int64_t>{2, 1}));
}

TEST(InnerSharded, ShardsTheLastDimension) {
  EXPECT_EQ(layout::inner_sharded(square(), "x", 3).value(), make_layout({"", "", "x"}, square()));
}

TEST(BatchSharded, RefusesRankZeroWhichHasNothingToShard) {
  EXPECT_THAT(layout::batch_sharded(square(), "x", 0).why().text, HasSubstr("rank 0"));
  EXPECT_THAT(layout::inner_sharded(square(), "x", 0).why().text, HasSubstr("rank 0"));
  EXPECT_THAT(layout::batch_sharded(square(), "q", 1).why().text, HasSubstr("'q'"));
  EXPECT_FALSE(layout::batch_sharded(square(), "x", 1'000'000).ok());
}

TEST(Layout, LosesTheDimensionsThatAreTakenOut) {
  const auto l = make_layout({"batch", "", "x"}, square());
  EXPECT_EQ(spec_of(l.without(dims{1})), "[batch,x]");
  EXPECT_EQ(spec_of(l.without(dims{2, 0})), "[unsharded]");
  EXPECT_EQ(spec_of(l.without(dims{})), "[batch,unsharded,x]");
}

TEST(Layout, RefusesToLoseADimensionThatItDoesNotHave) {
  const auto l = make_layout({"batch", "x"}, square());
  EXPECT_THAT(l.without(dims{2}).why().text,
              HasSubstr("dimension 2 of [batch,x]: it must be below 2"));
  EXPECT_THAT(l.without(dims{static_cast<std::size_t>(-1)}).why().text, HasSubstr("below 2"));
  EXPECT_THAT(l.without(dims{0, 0}).why().text, HasSubstr("named twice"));
}

TEST(Layout, IsTransposedByAPermutation) {
  const auto l = make_layout({"batch", "", "x"}, square());
  EXPECT_EQ(spec_of(l.transposed(dims{2, 0, 1})), "[x,batch,unsharded]");
  EXPECT_FALSE(l.transposed(dims{0, 1}).ok());
  EXPECT_FALSE(l.transposed(dims{0, 1, 1}).ok());
  EXPECT_FALSE(l.transposed(dims{0, 1, 3}).ok());
}

TEST(Layout, SwapsItsLastTwoDimensions) {
  const auto m = make_mesh({{"b1", 2}, {"b2", 2}, {"x", 2}, {"y", 2}});
  EXPECT_EQ(spec_of(make_layout({"x", "y"}, m).transposed_2d()), "[y,x]");
  EXPECT_EQ(spec_of(make_layout({"b1", "b2", "x", "y"}, m).transposed_2d()), "[b1,b2,y,x]");
  EXPECT_THAT(make_layout({"x"}, m).transposed_2d().why().text, HasSubstr("at least 2"));
}

TEST(Layout, IsCutToSomeOfItsDimensions) {
  const auto l = make_layout({"x", "batch"}, square());
  EXPECT_EQ(spec_of(l.truncated(0, 1)), "[x]");
  EXPECT_EQ(spec_of(l.truncated(1, 2)), "[batch]");
  EXPECT_EQ(spec_of(l.truncated(1, 1)), "[]");
  EXPECT_FALSE(l.truncated(1, 3).ok());
  EXPECT_FALSE(l.truncated(2, 1).ok());
}

TEST(Layout, IsPaddedInFront) {
  const auto l = make_layout({"x"}, square());
  EXPECT_EQ(spec_of(l.left_padded(3)), "[unsharded,unsharded,x]");
  EXPECT_EQ(l.left_padded(1).value(), l);
  EXPECT_THAT(l.left_padded(0).why().text, HasSubstr("it must be 1 to"));
  EXPECT_FALSE(l.left_padded(1'000'000).ok());
}

TEST(Layout, IsConcatenatedOverOneMeshWithoutSharedDimensions) {
  const auto l = make_layout({"batch"}, square());
  EXPECT_EQ(spec_of(l.concatenated(make_layout({"x"}, square()))), "[batch,x]");
  EXPECT_THAT(l.concatenated(l).why().text, HasSubstr("twice"));
  EXPECT_THAT(l.concatenated(make_layout({"x"}, make_mesh({{"x", 4}}))).why().text,
              HasSubstr("two meshes"));
}

TEST(Layout, DropsOrKeepsDimensionsThatWereReduced) {
  const auto l = make_layout({"batch", "x"}, square());
  EXPECT_EQ(spec_of(l.with_reduced(dims{0}, false)), "[x]");
  EXPECT_EQ(spec_of(l.with_reduced(dims{0}, true)), "[unsharded,x]");
  EXPECT_FALSE(l.with_reduced(dims{5}, true).ok());
}

TEST(Layout, IsReducedToTheMeshDimensionsThatItUses) {
  const auto m = make_mesh({{"x", 4}, {"y", 2}}, 2);
  EXPECT_EQ(make_layout({"", ""}, m).on_reduced_mesh().mesh().size(), 1u);
  EXPECT_EQ(make_layout({"x", ""}, m).on_reduced_mesh().mesh().size(), 4u);
  EXPECT_EQ(make_layout({"x", "y"}, m).on_reduced_mesh(), make_layout({"x", "y"}, m));
}

TEST(Layout, MovesToHostMemoryWithItsSpec) {
  const auto gpus =
      mesh::of("m", device_kind::cuda, {{"x", 2}, {"batch", 1}}, devices_on(1, 2)).value();
  const auto l = make_layout({"x"}, gpus).on_host_mesh();
  EXPECT_EQ(to_string(l), "[x] on |x=2,batch=1|cpu|0:0-1");
}

TEST(Match, KeepsWhatADimensionHas) {
  const auto l = make_layout({"batch", "x"}, square());
  EXPECT_EQ(spec_of(l.resolved(partition_spec::of({"match", ""}).value())), "[batch,unsharded]");
  EXPECT_EQ(spec_of(l.resolved(partition_spec::of({"match", "match"}).value())), "[batch,x]");
  EXPECT_THAT(l.resolved(partition_spec::of({"x", "match"}).value()).why().text,
              HasSubstr("twice"));
  EXPECT_THAT(l.resolved(partition_spec::of({"match"}).value()).why().text, HasSubstr("same rank"));
}

TEST(EquivalentLayouts, DifferOnlyWhereBothHaveOneShard) {
  const auto m = make_mesh({{"x", 2}, {"y", 1}});
  EXPECT_TRUE(equivalent(make_layout({"x", "y"}, m), make_layout({"x", ""}, m)));
  EXPECT_FALSE(equivalent(make_layout({"", "y"}, m), make_layout({"x", "y"}, m)));
  EXPECT_FALSE(equivalent(make_layout({"x"}, m), make_layout({"x", ""}, m))) << "another rank";
  EXPECT_FALSE(equivalent(make_layout({"x"}, m), make_layout({"x"}, make_mesh({{"x", 2}}))));
}

TEST(EqualLayouts, HaveTheSameSpecEvenWhereItShardsNothing) {
  EXPECT_NE(make_layout({""}, square()), make_layout({}, square()));
}

// ---- text

TEST(TextOfALayout, HasSpecAndMesh) {
  const auto l = make_layout({"x", ""}, make_mesh({{"x", 2}}));
  EXPECT_EQ(to_string(l), "[x,unsharded] on |x=2|cpu|0:0-1");
  EXPECT_EQ(to_string(layout{}), "[] on empty mesh");
  EXPECT_EQ(parse_layout(to_string(layout{})).value(), layout{});
}

RC_GTEST_PROP(TextOfALayout, ReadsBackAsTheLayout, ()) {
  picks random;
  const auto l = random_layout(random, random_mesh(random));
  RC_ASSERT(parse_layout(to_string(l)).value() == l);
}

TEST(TextOfALayout, IsRefusedWithPlaceAndRule) {
  const auto why = [](std::string_view text) { return parse_layout(text).why().text; };
  EXPECT_THAT(why("x mesh:|x=2|cpu|0:0-1"), HasSubstr("has no ' on '"));
  EXPECT_THAT(why("[x on |x=2|cpu|0:0-1"), HasSubstr("in place of ',' or ']'"));
  EXPECT_THAT(why("[x] on |x=2|cpu|0:0"), HasSubstr("1 devices for a mesh with x=2"));
  EXPECT_THAT(why("[x,x] on |x=2|cpu|0:0-1"), HasSubstr("twice"));
  EXPECT_THAT(why("[x,scalar] on |x=2|cpu|0:0-1"), HasSubstr("reserved"));
  EXPECT_THAT(why("[x,z] on |x=2|cpu|0:0-1"), HasSubstr("no mesh dimension 'z'"));
  EXPECT_THAT(why("[x] on string_mesh"), HasSubstr("'string_mesh' is not a mesh"));
}

}  // namespace
}  // namespace muster::testing
