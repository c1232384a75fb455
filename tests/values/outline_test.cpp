// What a tree is without its values, and what is said where two of them differ.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/outline.hpp>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::size_t all_of_them = limits::differences_compared_max;

array floats(shape_vector shape, float value = 0) {
  const auto n = static_cast<std::size_t>(element_count(shape));
  return array::of(std::vector<float>(n, value), std::move(shape));
}

bytes_leaf raw(std::string_view text) { return {payload::copy_of(text)}; }

/// A dict of leaves.
tree dict_of(std::initializer_list<std::pair<std::string, tree>> entries) {
  return tree::dict{{entries.begin(), entries.end()}};
}

std::vector<outline_difference> differences_of(const tree& left, const tree& right,
                                               std::size_t most = all_of_them) {
  return differences(outline_of(left), outline_of(right), most);
}

outline_difference differs(std::string path, std::string left, std::string right) {
  const bool whole = path.empty();
  return {std::move(path), std::move(left), std::move(right), whole};
}

// ---- one leaf

TEST(Leaf, IsDescribedByItsKindAnArrayAlsoByDtypeAndShape) {
  EXPECT_EQ(describe(floats({2, 3})), "f32 (2, 3)");
  EXPECT_EQ(describe(array::of(std::vector<bool>{true})), "bool (1,)");
  EXPECT_EQ(describe(array::of(std::vector<std::int64_t>{7}, {})), "i64 ()");
  EXPECT_EQ(describe(array{dtype::bf16, {0, 4}, {}}), "bf16 (0, 4)");
  EXPECT_EQ(describe(std::string("x")), "string");
  EXPECT_EQ(describe(raw("x")), "bytes");
  EXPECT_EQ(describe(std::int64_t{1}), "i64 scalar");
  EXPECT_EQ(describe(1.0), "f64 scalar");
  EXPECT_EQ(describe(true), "bool scalar");
}

TEST(Leaf, IsDescribedTheSameWhateverItsValue) {
  EXPECT_EQ(describe(std::string("x")), describe(std::string(1'000, 'y')));
  EXPECT_EQ(describe(raw("")), describe(raw("three")));
  EXPECT_EQ(describe(floats({2}, 1)), describe(floats({2}, 2)));
}

// ---- outlines of trees

tree sample(std::int64_t step, float value, std::string name) {
  tree layers = tree::list{{dict_of({{"w", floats({2, 3}, value)}, {"b", floats({3}, value)}})}};
  return dict_of({{"step", step},
                  {"name", std::move(name)},
                  {"layers", layers},
                  {"pair", tree::tuple{{true, raw("x")}}}});
}

TEST(Outline, IsEqualForAlikeTreesWhateverTheirValues) {
  EXPECT_EQ(outline_of(sample(1, 0.5F, "small")), outline_of(sample(2, -1, "rather large")));
  EXPECT_EQ(outline_of(tree{}), outline_of(tree{}));
}

TEST(Outline, ComparesAtALeafWhatTheCallerWants) {
  const auto value = [](const tree_leaf& leaf) {
    const auto* number = std::get_if<std::int64_t>(&leaf);
    return number ? std::to_string(*number) : describe(leaf);
  };
  EXPECT_NE(outline_of(1, value), outline_of(2, value));
  EXPECT_THAT(differences(outline_of(1, value), outline_of(2, value), all_of_them),
              ElementsAre(differs("", "1", "2")));
}

TEST(Outlines, DifferAtALeaf) {
  EXPECT_THAT(differences_of(sample(1, 0, "x"), sample(1, 0, "x")), IsEmpty());
  EXPECT_THAT(differences_of(dict_of({{"w", floats({2, 3})}, {"n", 1}}),
                             dict_of({{"w", floats({2, 4})}, {"n", 1.0}})),
              ElementsAre(differs("w", "f32 (2, 3)", "f32 (2, 4)"),
                          differs("n", "i64 scalar", "f64 scalar")));
  EXPECT_THAT(differences_of("x", raw("x")), ElementsAre(differs("", "string", "bytes")));
}

TEST(Outlines, DifferInTheDictThatLacksAKey) {
  EXPECT_THAT(differences_of(dict_of({{"model", dict_of({{"w", 1}, {"b", 2}})}}),
                             dict_of({{"model", dict_of({{"w", 1}})}})),
              ElementsAre(differs("model", "a dict of 'w', 'b'", "a dict of 'w'")));
  EXPECT_THAT(differences_of(dict_of({{"w", 1}}), tree{}),
              ElementsAre(differs("", "a dict of 'w'", "an empty dict")));
}

TEST(Outlines, DifferInTheDictWhoseKeysHaveAnotherOrder) {
  EXPECT_THAT(differences_of(dict_of({{"a", 1}, {"b", 2}}), dict_of({{"b", 2}, {"a", 1}})),
              ElementsAre(differs("", "a dict of 'a', 'b'", "a dict of 'b', 'a'")));
}

TEST(Outlines, DifferInTheListThatIsLonger) {
  EXPECT_THAT(
      differences_of(dict_of({{"l", tree::list{{1, 2}}}}), dict_of({{"l", tree::list{{1}}}})),
      ElementsAre(differs("l", "a list of 2 items", "a list of 1 item")));
  EXPECT_THAT(differences_of(tree::tuple{}, tree::tuple{{1}}),
              ElementsAre(differs("", "a tuple of 0 items", "a tuple of 1 item")));
}

TEST(Outlines, DifferInTheKindOfNode) {
  const tree one = dict_of({{"x", 1}});
  EXPECT_THAT(differences_of(tree::list{{1}}, tree::tuple{{1}}),
              ElementsAre(differs("", "a list of 1 item", "a tuple of 1 item")));
  EXPECT_THAT(differences_of(one, 1), ElementsAre(differs("", "a dict of 'x'", "i64 scalar")));
  EXPECT_THAT(differences_of(dict_of({{"k", true}}), dict_of({{"k", one}})),
              ElementsAre(differs("k", "bool scalar", "a dict of 'x'")));
  EXPECT_THAT(differences_of(tree{}, tree::list{}),
              ElementsAre(differs("", "an empty dict", "a list of 0 items")));
}

TEST(Outlines, NameAContainerThatDiffersAndNotWhatLiesBelowIt) {
  const tree left = dict_of({{"a", dict_of({{"x", 1}, {"y", 1}})}, {"b", tree::list{{1, 2}}}});
  const tree right =
      dict_of({{"a", dict_of({{"x", true}, {"z", 1}})}, {"b", tree::list{{1, 2.0}}}});
  EXPECT_THAT(differences_of(left, right),
              ElementsAre(differs("a", "a dict of 'x', 'y'", "a dict of 'x', 'z'"),
                          differs("b/1", "i64 scalar", "f64 scalar")));
}

TEST(Outlines, NameTheKeysOfADictUpToALength) {
  tree large, small;
  for (int i = 0; i < 1'000; ++i) large.set("key" + std::to_string(i), i);
  const auto seen = differences_of(large, small);
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_THAT(seen[0].left, testing::StartsWith("a dict of 'key0', 'key1', "));
  EXPECT_THAT(seen[0].left, testing::EndsWith(", ..."));
  EXPECT_LE(seen[0].left.size(), limits::difference_bytes_max + 40);
}

TEST(Outlines, GivePathsAsTreesDo) {
  const auto with = [](const tree& leaf) {
    return dict_of({{"a/b", leaf}, {"c", tree::tuple{{0, dict_of({{"\\", leaf}})}}}});
  };
  const auto seen = differences_of(with(1), with(2.0));
  ASSERT_THAT(seen, SizeIs(2));
  const auto paths = leaf_paths(with(1));
  EXPECT_THAT(paths, testing::Contains(seen[0].path));
  EXPECT_THAT(paths, testing::Contains(seen[1].path));
}

TEST(Outlines, AreComparedUpToTheMostThatIsAskedFor) {
  tree::list left, right;
  for (std::int64_t i = 0; i < 100; ++i) {
    left.items.emplace_back(i);
    right.items.emplace_back(true);
  }
  EXPECT_THAT(differences_of(left, right, 0), IsEmpty());
  EXPECT_THAT(differences_of(left, right, 1), SizeIs(1));
  EXPECT_THAT(differences_of(left, right, 99), SizeIs(99));
  EXPECT_THAT(differences_of(left, right, 1'000), SizeIs(100));
  EXPECT_EQ(differences_of(left, right, 2)[1].path, "1");
}

TEST(Outlines, ThatAreNoTreesAreSaidToBeNone) {
  const auto noise = payload::copy_of("noise");
  EXPECT_THAT(differences(noise, outline_of(1), all_of_them),
              ElementsAre(differs("", "no tree", "a tree")));
  EXPECT_THAT(differences(outline_of(1), {}, all_of_them),
              ElementsAre(differs("", "a tree", "no tree")));
  EXPECT_THAT(differences(noise, noise, all_of_them), SizeIs(1));
  EXPECT_THAT(differences(noise, outline_of(1), 0), IsEmpty());
}

TEST(Outlines, ThatAreTreesWithOtherLeavesAreComparedAllTheSame) {
  EXPECT_THAT(differences(pack(tree(1)), outline_of(1), all_of_them),
              ElementsAre(differs("", "no outline", "i64 scalar")));
  EXPECT_THAT(differences(pack(tree(1)), pack(tree(1)), all_of_them), IsEmpty());
}

// ---- for people

/// A statement whose tree's outline is this.
statement gives(payload outline, rank_set ranks) {
  signature said;
  said.kind = op_kind::process_allgather;
  said.outline = std::move(outline);
  return {said, std::move(ranks)};
}
statement gives(const tree& t, rank_set ranks) { return gives(outline_of(t), std::move(ranks)); }

rank_set ranks(std::uint32_t first, std::uint32_t last) {
  return rank_set::of_range(rank{first}, rank{last});
}

TEST(Differences, OfTwoStatementsNamePlaceAndRanks) {
  EXPECT_EQ(explain_differences({gives(dict_of({{"b", tree::list{{floats({2, 3})}}}}), ranks(0, 2)),
                                 gives(dict_of({{"b", tree::list{{floats({2, 4})}}}}), {rank{3}})}),
            "'b/0' is f32 (2, 3) at ranks 0-2 and f32 (2, 4) at rank 3");
}

TEST(Differences, OfThreeStatementsPutRanksThatSayTheSameOfAPlaceTogether) {
  const auto pair = [](const tree& a, const tree& b) { return dict_of({{"a", a}, {"b", b}}); };
  EXPECT_EQ(
      explain_differences({gives(pair(1, 1), {rank{0}, rank{4}}), gives(pair(1, "x"), {rank{1}}),
                           gives(pair(true, "x"), ranks(2, 3))}),
      "'b' is i64 scalar at ranks 0,4 and string at ranks 1-3; "
      "'a' is i64 scalar at ranks 0-1,4 and bool scalar at ranks 2-3");
}

TEST(Differences, OfThreeStatementsAreThreeGroupsWhereAllDiffer) {
  EXPECT_EQ(
      explain_differences({gives(1, {rank{0}}), gives(1.0, {rank{1}}), gives("x", {rank{2}})}),
      "'' is i64 scalar at rank 0 and f64 scalar at rank 1 and string at rank 2");
}

TEST(Differences, LeaveOutWhoHasNothingAtThePlace) {
  const auto model = [](const tree& inner) { return dict_of({{"m", inner}}); };
  EXPECT_EQ(explain_differences({gives(model(dict_of({{"w", 1}})), {rank{0}}),
                                 gives(model(dict_of({{"w", true}})), {rank{1}}),
                                 gives(model("none"), {rank{2}})}),
            "'m/w' is i64 scalar at rank 0 and bool scalar at rank 1; "
            "'m' is a dict of 'w' at ranks 0-1 and string at rank 2");
}

TEST(Differences, AreShownUpToALimitAndTheRestIsCounted) {
  tree::list left, right;
  for (std::size_t i = 0; i < limits::differences_shown_max; ++i) {
    left.items.emplace_back(1);
    right.items.emplace_back(true);
  }
  const auto explained = [&] {
    return explain_differences({gives(left, {rank{0}}), gives(right, {rank{1}})});
  };
  EXPECT_THAT(explained(), HasSubstr("'3' is i64 scalar at rank 0"));
  EXPECT_THAT(explained(), Not(HasSubstr("more places")));
  left.items.insert(left.items.end(), 2, 1);
  right.items.insert(right.items.end(), 2, true);
  EXPECT_THAT(explained(), Not(HasSubstr("'4'")));
  EXPECT_THAT(explained(), testing::EndsWith("; and at 2 more places"));
}

TEST(Differences, AreNotOfStatementsWithoutOutlines) {
  EXPECT_EQ(explain_differences({}), "");
  EXPECT_EQ(explain_differences({gives(1, {rank{0}})}), "");
  EXPECT_EQ(explain_differences({gives(1, {rank{0}}), gives(2, {rank{1}})}), "");
  EXPECT_EQ(explain_differences({gives(payload{}, {rank{0}}), gives(1, {rank{1}})}), "");
  EXPECT_EQ(explain_differences(
                {gives(payload{}, {rank{0}}), gives(1, {rank{1}}), gives(true, {rank{2}})}),
            "'' is i64 scalar at rank 1 and bool scalar at rank 2");
}

TEST(Differences, StayOnOneLineWhateverTheKeys) {
  const auto text = explain_differences(
      {gives(dict_of({{"a\nb'", 1}}), {rank{0}}), gives(dict_of({{"a\nb'", true}}), {rank{1}})});
  EXPECT_EQ(text, R"('a\nb\'' is i64 scalar at rank 0 and bool scalar at rank 1)");
}

// ---- any trees, any bytes

/// From few keys and kinds, so that alike trees are met.
tree random_tree(int depth) {
  switch (*rc::gen::inRange(depth == 0 ? 3 : 0, 8)) {
    case 0: {
      tree t;
      for (int n = *rc::gen::inRange(0, 3); n > 0; --n)
        t.set(*rc::gen::element<std::string>("a", "b"), random_tree(depth - 1));
      return t;
    }
    case 1: return tree::list{std::vector<tree>(*rc::gen::inRange<std::size_t>(0, 3), 1)};
    case 2: return tree::tuple{{random_tree(depth - 1), random_tree(depth - 1)}};
    case 3: return floats({*rc::gen::inRange<std::int64_t>(0, 2)});
    case 4: return *rc::gen::arbitrary<std::int64_t>();
    case 5: return *rc::gen::arbitrary<std::string>();
    case 6: return raw(*rc::gen::arbitrary<std::string>());
    default: return *rc::gen::arbitrary<bool>();
  }
}

RC_GTEST_PROP(Outlines, AreEqualExactlyWhereNothingDiffers, ()) {
  const auto left = random_tree(2), right = random_tree(2);
  const bool alike = outline_of(left) == outline_of(right);
  RC_CLASSIFY(alike);
  RC_ASSERT(differences_of(left, right).empty() == alike);
  RC_ASSERT(explain_differences({gives(left, {rank{0}}), gives(right, {rank{1}})}).empty() ==
            alike);
}

RC_GTEST_PROP(Outlines, DifferTheOtherWayRoundInTheSamePlaces, ()) {
  const auto left = random_tree(3), right = random_tree(3);
  auto turned = differences_of(right, left);
  for (auto& d : turned) std::swap(d.left, d.right);
  RC_ASSERT(differences_of(left, right) == turned);
}

RC_GTEST_PROP(Outlines, OfATreeAreThoseOfItsOutlineButForTheLeaves, ()) {
  const auto t = random_tree(3);
  const auto outline = unpack(outline_of(t));
  RC_ASSERT(outline.ok());
  RC_ASSERT(leaf_paths(*outline) == leaf_paths(t));
}

RC_GTEST_PROP(Outlines, ThatAreNoiseAreNoTreeAndNothingBreaks, (const std::string& noise)) {
  auto bytes = payload::copy_of(noise);
  RC_ASSERT(differences(bytes, outline_of(1), 4).front().left == "no tree");
  const std::vector said{gives(bytes, {rank{0}}), gives(random_tree(2), {rank{1}})};
  RC_ASSERT(explain_differences(said).empty() == noise.empty());
}

RC_GTEST_PROP(Outlines, WithAByteChangedAreComparedOrSaidToBeNoTree, ()) {
  const auto outline = outline_of(random_tree(3));
  auto bytes = std::string(outline.text());
  bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] ^=
      static_cast<char>(*rc::gen::inRange(1, 256));
  const auto changed = payload::copy_of(bytes);
  RC_ASSERT(!differences(outline, changed, all_of_them).empty());
  RC_ASSERT(!explain_differences({gives(outline, {rank{0}}), gives(changed, {rank{1}})}).empty());
}

// ---- what would be too much, or false

tree numbers(std::size_t n, std::size_t other_at, const tree& other) {
  tree::list out;
  for (std::size_t i = 0; i < n; ++i) out.items.push_back(i == other_at ? other : tree(1));
  return out;
}

TEST(Explanation, SaysNothingOfWhatWasNotCompared) {
  tree::list all_text;
  for (int i = 0; i < 100; ++i) all_text.items.emplace_back("text");
  const auto text = explain_differences({gives(numbers(100, 200, 1), {rank{0}}),
                                         gives(numbers(100, 99, 1.0), {rank{1}}),
                                         gives(tree(all_text), {rank{2}})});
  EXPECT_THAT(text, testing::HasSubstr("'99' is i64 scalar at rank 0 and f64 scalar at rank 1;"))
      << text;
}

TEST(Explanation, TakesAnEmptyKeyForNoRoot) {
  const auto two = [](const tree& first, const tree& second) {
    return dict_of({{"", first}, {"k", second}});
  };
  EXPECT_THAT(explain_differences({gives(two(1, 1), {rank{0}}), gives(two(true, 1), {rank{1}}),
                                   gives(two(true, true), {rank{2}})}),
              testing::EndsWith("'k' is i64 scalar at ranks 0-1 and bool scalar at rank 2"));
}

TEST(Explanation, StaysShortWhateverTheKeysAre) {
  std::vector<statement> said;
  for (std::uint32_t r = 0; r < 8; ++r)
    said.push_back(
        gives(dict_of({{std::string(100'000, '\1') + std::to_string(r), 1}}), {rank{r}}));
  EXPECT_LT(explain_differences(said).size(), 16u << 10);
}

}  // namespace
}  // namespace muster
