// Many alike arrays or trees as one: what a gather over hosts results in.
#include <gtest/gtest.h>

#include <muster/runtime/gathered.hpp>

namespace muster {
namespace {

constexpr auto stacked = gather_shape::stacked;
constexpr auto tiled = gather_shape::tiled;

array ints(std::vector<std::int32_t> values, shape_vector shape) {
  return array::of(std::move(values), std::move(shape));
}

/// Of that dtype, with bytes that differ from part to part (0 and 1, which every dtype allows).
array any_of(dtype type, shape_vector shape, std::size_t part) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(element_count(shape)) * size_of(type));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte((i >> part) & 1);
  return {type, std::move(shape), payload::adopt(std::move(bytes))};
}

std::vector<dtype> every_dtype() {
  std::vector<dtype> out;
  for (std::uint32_t n = 1; const auto type = dtype_from_number(n); ++n) out.push_back(*type);
  return out;
}

/// The bytes of all, one after the other.
std::string bytes_of(const std::vector<array>& parts) {
  std::string out;
  for (const auto& part : parts) out += part.data.text();
  return out;
}

// ---- arrays

TEST(GatheredArrays, StackedGetANewFirstDimension) {
  const std::vector parts{ints({1, 2, 3, 4, 5, 6}, {2, 3}), ints({7, 8, 9, 10, 11, 12}, {2, 3})};
  EXPECT_EQ(gathered(parts, stacked), ints({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {2, 2, 3}));
}

TEST(GatheredArrays, TiledStandAlongTheirOwnFirstDimension) {
  const std::vector parts{ints({1, 2}, {1, 2}), ints({3, 4}, {1, 2}), ints({5, 6}, {1, 2})};
  EXPECT_EQ(gathered(parts, tiled), ints({1, 2, 3, 4, 5, 6}, {3, 2}));
  EXPECT_EQ(gathered(std::vector{ints({1, 2}, {2}), ints({3, 4}, {2})}, tiled),
            ints({1, 2, 3, 4}, {4}));
}

TEST(GatheredArrays, HaveTheBytesOfTheirPartsInOrderWhateverTheDtype) {
  ASSERT_EQ(every_dtype().size(), 13u);
  for (const auto type : every_dtype()) {
    const std::vector parts{any_of(type, {2, 4}, 0), any_of(type, {2, 4}, 1),
                            any_of(type, {2, 4}, 2)};
    const array on_top{type, {3, 2, 4}, payload::copy_of(bytes_of(parts))};
    const array in_a_row{type, {6, 4}, payload::copy_of(bytes_of(parts))};
    EXPECT_EQ(gathered(parts, stacked), on_top) << to_string(type);
    EXPECT_EQ(gathered(parts, tiled), in_a_row) << to_string(type);
    EXPECT_TRUE(is_dense(gathered(parts, tiled)) && gathered(parts, stacked).aligned());
  }
}

TEST(GatheredArrays, WithoutDimensionsBecomeOneDimensionBothWays) {
  for (const auto type : every_dtype()) {
    const std::vector parts{any_of(type, {}, 0), any_of(type, {}, 1)};
    const array wanted{type, {2}, payload::copy_of(bytes_of(parts))};
    EXPECT_EQ(gathered(parts, stacked), wanted) << to_string(type);
    EXPECT_EQ(gathered(parts, tiled), wanted) << to_string(type);
  }
}

TEST(GatheredArrays, WithoutElementsHaveAShapeAllTheSame) {
  const std::vector<array> wide(3, ints({}, {2, 0})), flat(3, ints({}, {0, 2}));
  EXPECT_EQ(gathered(wide, stacked), ints({}, {3, 2, 0}));
  EXPECT_EQ(gathered(wide, tiled), ints({}, {6, 0}));
  EXPECT_EQ(gathered(flat, stacked), ints({}, {3, 0, 2}));
  EXPECT_EQ(gathered(flat, tiled), ints({}, {0, 2}));
}

TEST(GatheredArrays, OfOnePartHaveTheShapeOfOne) {
  EXPECT_EQ(gathered(std::vector{ints({1, 2}, {2})}, stacked), ints({1, 2}, {1, 2}));
  EXPECT_EQ(gathered(std::vector{ints({1, 2}, {2})}, tiled), ints({1, 2}, {2}));
  EXPECT_EQ(gathered(std::vector{ints({1}, {})}, tiled), ints({1}, {1}));
}

TEST(GatheredArrays, MayHaveComeUnaligned) {
  const auto packed = payload::copy_of(std::string(1, 'x') + bytes_of({ints({1, 2}, {2})}));
  const std::vector parts{array{dtype::i32, {2}, packed.part(1, 8)}};
  EXPECT_EQ(gathered(parts, tiled), ints({1, 2}, {2}));
  EXPECT_TRUE(gathered(parts, tiled).aligned());
}

// ---- trees

TEST(GatheredTrees, MakeArraysOfScalars) {
  for (const auto how : {stacked, tiled}) {
    EXPECT_EQ(gathered(std::vector<tree>{1, -2, 3}, how),
              tree(array::of(std::vector<std::int64_t>{1, -2, 3})));
    EXPECT_EQ(gathered(std::vector<tree>{0.5, -0.0}, how),
              tree(array::of(std::vector<double>{0.5, -0.0})));
    EXPECT_EQ(gathered(std::vector<tree>{true, false}, how),
              tree(array::of(std::vector<bool>{true, false})));
  }
}

TEST(GatheredTrees, MakeListsOfStringsAndOfBytesWhateverTheirLengths) {
  const auto raw = [](std::string_view text) { return tree(bytes_leaf{payload::copy_of(text)}); };
  for (const auto how : {stacked, tiled}) {
    EXPECT_EQ(gathered(std::vector<tree>{"a", "", "long"}, how),
              tree(tree::list{{"a", "", "long"}}));
    EXPECT_EQ(gathered(std::vector<tree>{raw("a"), raw("")}, how),
              tree(tree::list{{raw("a"), raw("")}}));
  }
}

/// Every kind of container around every kind of leaf, its values by `n`.
tree sample(std::int32_t n) {
  tree layer;
  layer.set("w", ints({n, n + 1}, {1, 2})).set("name", "layer of " + std::to_string(n));
  tree t;
  t.set("layers", tree::list{{layer, tree::tuple{{n, 0.5 * n}}}}).set("none", tree::list{});
  return t.set("last", n > 0);
}

TEST(GatheredTrees, KeepTheirContainersAndKeysInOrder) {
  const auto whole = gathered(std::vector{sample(0), sample(4)}, stacked);
  tree layer;
  layer.set("w", ints({0, 1, 4, 5}, {2, 1, 2}))
      .set("name", tree::list{{"layer of 0", "layer of 4"}});
  const tree scalars = tree::tuple{
      {array::of(std::vector<std::int64_t>{0, 4}), array::of(std::vector<double>{0, 2})}};
  tree wanted;
  wanted.set("layers", tree::list{{layer, scalars}}).set("none", tree::list{});
  wanted.set("last", array::of(std::vector<bool>{false, true}));
  EXPECT_EQ(whole, wanted);
}

TEST(GatheredTrees, AreTiledAtEveryArray) {
  const auto whole = gathered(std::vector{sample(0), sample(4)}, tiled);
  const auto& layers = std::get<tree::list>(whole.find("layers")->get()).items;
  EXPECT_EQ(*layers[0].find("w"), tree(ints({0, 1, 4, 5}, {2, 2})));
}

TEST(GatheredTrees, OfOnePartHaveTheFormOfMany) {
  const auto whole = gathered(std::vector{sample(3)}, stacked);
  const auto& layers = std::get<tree::list>(whole.find("layers")->get()).items;
  EXPECT_EQ(*layers[0].find("w"), tree(ints({3, 4}, {1, 1, 2})));
  EXPECT_EQ(*layers[0].find("name"), tree(tree::list{{"layer of 3"}}));
  EXPECT_EQ(*whole.find("last"), tree(array::of(std::vector<bool>{true})));
}

TEST(GatheredTrees, WithoutLeavesAreWhatEachOfThemIs) {
  EXPECT_EQ(gathered(std::vector<tree>(3, tree{}), stacked), tree{});
  EXPECT_EQ(gathered(std::vector<tree>(3, tree::tuple{}), tiled), tree(tree::tuple{}));
}

// ---- what the caller has checked before

TEST(GatheredDeathTest, NothingOrUnlikePartsAreOurBug) {
  EXPECT_DEATH((void)gathered(std::vector<array>{}, stacked), "at least one part");
  EXPECT_DEATH((void)gathered(std::vector<tree>{}, stacked), "at least one part");
  EXPECT_DEATH((void)gathered(std::vector{ints({1}, {1}), ints({1, 2}, {2})}, tiled), "alike");
  EXPECT_DEATH((void)gathered(std::vector<tree>{1, "x"}, tiled), "equal outlines");
}

}  // namespace
}  // namespace muster
