#include <bit>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/tree.hpp>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

tree nested(std::size_t containers) {
  tree t(1);
  for (std::size_t i = 0; i < containers; ++i) t = tree(tree::list{{t}});
  return t;
}

TEST(Tree, IsAnEmptyDictAtFirst) {
  EXPECT_EQ(tree{}, tree(tree::dict{}));
  EXPECT_THAT(leaf_paths(tree{}), IsEmpty());
}

TEST(Tree, SetsReplacesAndFindsTheKeysOfADict) {
  tree t;
  t.set("lr", 0.5).set("name", "small").set("lr", 0.25);
  ASSERT_NE(t.find("lr"), nullptr);
  EXPECT_EQ(*t.find("lr")->leaf<double>(), 0.25);
  EXPECT_EQ(t.find("momentum"), nullptr);
  EXPECT_EQ(tree(3).find("lr"), nullptr);
  EXPECT_THAT(leaf_paths(t), ElementsAre("lr", "name"));
}

TEST(Tree, GivesALeafOnlyAsWhatItIs) {
  EXPECT_EQ(*tree(7).leaf<std::int64_t>(), 7);
  EXPECT_EQ(tree(7).leaf<double>(), nullptr);
  EXPECT_EQ(*tree(true).leaf<bool>(), true);
  EXPECT_EQ(*tree("x").leaf<std::string>(), "x");
  EXPECT_EQ(tree(bytes_leaf{payload::copy_of("b")}).leaf<bytes_leaf>()->data.text(), "b");
  EXPECT_EQ(tree{}.leaf<bool>(), nullptr);
}

TEST(Tree, ListsThePathsOfItsLeavesInOrder) {
  tree t;
  tree layer;
  layer.set("weight", 1).set("bias", 2);
  t.set("model", tree(tree::list{{layer, layer}})).set("step", 3).set("empty", tree(tree::tuple{}));
  EXPECT_THAT(leaf_paths(t), ElementsAre("model/0/weight", "model/0/bias", "model/1/weight",
                                         "model/1/bias", "step"));
}

TEST(Tree, ThatIsOneLeafHasTheEmptyPath) { EXPECT_THAT(leaf_paths(tree(1)), ElementsAre("")); }

TEST(Tree, KeepsThePathsOfKeysWithSlashesApart) {
  tree inner;
  inner.set("b", 1);
  tree t;
  t.set("a", inner).set("a/b", 2).set("\\", 3).set("", 4);
  EXPECT_THAT(leaf_paths(t), ElementsAre("a/b", "a\\/b", "\\\\", ""));
}

TEST(Tree, IsEqualBitByBitInItsLeaves) {
  const double nan = std::nan("");
  EXPECT_EQ(tree(nan), tree(nan));
  EXPECT_NE(tree(nan), tree(std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) ^ 1)));
  EXPECT_NE(tree(0.0), tree(-0.0));
  EXPECT_EQ(tree(tree::list{{nan}}), tree(tree::list{{nan}}));
}

TEST(Tree, IsEqualOnlyToTheSameKindOfNode) {
  EXPECT_NE(tree(1), tree(1.0));
  EXPECT_NE(tree(1), tree(true));
  EXPECT_NE(tree("x"), tree(bytes_leaf{payload::copy_of("x")}));
  EXPECT_NE(tree(tree::list{{1}}), tree(tree::tuple{{1}}));
  EXPECT_NE(tree(tree::list{}), tree{});
}

TEST(Tree, HasTheOrderOfItsKeysAsPartOfItsValue) {
  tree ab;
  ab.set("a", 1).set("b", 2);
  tree ba;
  ba.set("b", 2).set("a", 1);
  EXPECT_NE(ab, ba);
}

TEST(TreeDeathTest, SettingAKeyOfWhatIsNoDictIsOurBug) {
  EXPECT_DEATH(tree(1).set("a", 2), "only a dict");
}

TEST(PackableTree, NestsUpToTheLimit) {
  EXPECT_TRUE(check_packable(nested(limits::tree_depth_max)).ok());
  const auto deeper = check_packable(nested(limits::tree_depth_max + 1));
  EXPECT_EQ(deeper.code, status_code::invalid_argument);
  EXPECT_THAT(deeper.text, HasSubstr("nests at most 64 deep"));
}

TEST(PackableTree, HasNoKeyTwice) {
  tree t;
  t.set("model", tree(tree::dict{{{"w", 1}, {"b", 2}, {"w", 3}}}));
  EXPECT_EQ(check_packable(t).text, "at 'model': the key 'w' appears twice in one dict");
}

TEST(PackableTree, HasArraysWhoseBytesFitTheirShape) {
  const auto fit =
      check_packable(tree(tree::tuple{{1, array{dtype::f32, {3}, payload::copy_of("four")}}}));
  EXPECT_EQ(fit.text, "at '1': an array of f32 and shape (3,) has 4 bytes");
  EXPECT_FALSE(check_packable(tree(array{dtype{77}, {}, {}})).ok());
  EXPECT_FALSE(check_packable(tree(array{dtype::boolean, {1}, payload::copy_of("\2")})).ok());
}

TEST(PackableTreeDeathTest, IsWhatPackAsksFor) {
  EXPECT_DEATH((void)pack(nested(limits::tree_depth_max + 1)), "nests at most 64 deep");
}

}  // namespace
}  // namespace muster
