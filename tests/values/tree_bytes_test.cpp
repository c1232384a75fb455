#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/tree.hpp>

namespace muster {
namespace {

using testing::HasSubstr;

constexpr std::string_view magic = "muster tree 1\n";

/// Eight bytes, the lowest first.
std::string number(std::uint64_t v) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(v >> (8 * i));
  return out;
}

/// A packed tree by hand.
payload by_hand(const std::string& node) { return payload::copy_of(std::string(magic) + node); }

std::string why_not(const payload& p) {
  const auto t = unpack(p);
  EXPECT_EQ(t.why().code, status_code::invalid_argument);
  return t.why().text;
}

tree sample() {
  tree t;
  t.set("w", array::of(std::vector<float>{1, 2, 3}));
  t.set("b", array::of(std::vector<double>{4}, {}));
  t.set("none", array::of(std::vector<std::int16_t>{}, {2, 0}));
  t.set("items", tree(tree::list{{1, true, false, "text", std::nan("")}}));
  t.set("pair", tree(tree::tuple{{-0.0, bytes_leaf{payload::copy_of("raw")}}}));
  return t;
}

TEST(TreeBytes, AreWrittenAsDocumented) {
  tree t;
  t.set("a", tree(tree::tuple{{-1, true, "hi"}}));
  const auto want = std::string(magic) + "\1" + number(1) + number(1) + "a" + "\3" + number(3) +
                    "\7" + number(~0ull) + "\x9\1" + "\5" + number(2) + "hi";
  EXPECT_EQ(pack(t).text(), want);
}

TEST(TreeBytes, AreReadBackAsTheSameTree) { EXPECT_EQ(unpack(pack(sample())).value(), sample()); }

TEST(TreeBytes, AreSharedByTheArraysOfAnUnpackedTree) {
  const auto packed = pack(sample());
  const auto t = unpack(packed).value();
  for (const auto* key : {"w", "b"}) {
    const auto offset = t.find(key)->leaf<array>()->data.data() - packed.data();
    EXPECT_GT(offset, 0);
    EXPECT_LT(offset, static_cast<std::ptrdiff_t>(packed.size()));
    EXPECT_EQ(offset % 64, 0);
    EXPECT_TRUE(t.find(key)->leaf<array>()->aligned());
  }
}

TEST(TreeBytes, LiveAsLongAsAnArrayOfTheirs) {
  const auto a = *unpack(pack(sample())).value().find("w")->leaf<array>();
  EXPECT_EQ(a, array::of(std::vector<float>{1, 2, 3}));
}

TEST(TreeBytes, ThatStartOtherwiseAreNoTree) {
  EXPECT_THAT(why_not({}), HasSubstr("ends before"));
  EXPECT_THAT(why_not(payload::copy_of("muster tree 2\n\x9\1")), HasSubstr("not a packed tree"));
}

TEST(TreeBytes, CutAnywhereAreRefused) {
  const auto packed = pack(sample());
  for (std::size_t n = 0; n < packed.size(); ++n) {
    ASSERT_THAT(why_not(packed.part(0, n)), HasSubstr("ends before")) << n;
  }
}

TEST(TreeBytes, FollowedByMoreAreRefused) {
  const auto packed = pack(sample());
  EXPECT_THAT(why_not(payload::copy_of(std::string(packed.text()) + '\0')),
              HasSubstr("at byte " + std::to_string(packed.size()) + ": bytes follow the tree"));
}

TEST(TreeBytes, NestUpToTheLimit) {
  std::string lists;
  for (std::size_t i = 0; i < limits::tree_depth_max; ++i) lists += "\2" + number(1);
  EXPECT_TRUE(unpack(by_hand(lists + "\x9\1")).ok());
  EXPECT_THAT(why_not(by_hand(lists + "\2" + number(0))), HasSubstr("nests at most 64 deep"));
}

TEST(TreeBytes, WithLengthsThatTheyCannotHoldAreRefusedWithoutAllocation) {
  for (auto huge : {~0ull, 1ull << 63, 1ull << 40}) {
    EXPECT_THAT(why_not(by_hand("\5" + number(huge))), HasSubstr("ends before"));
    EXPECT_THAT(why_not(by_hand("\6" + number(huge))), HasSubstr("ends before"));
    EXPECT_THAT(why_not(by_hand("\1" + number(huge))), HasSubstr("ends before"));
    EXPECT_THAT(why_not(by_hand("\1" + number(1) + number(huge) + "a")), HasSubstr("ends before"));
    EXPECT_THAT(why_not(by_hand("\2" + number(huge) + "\x9\1")), HasSubstr("ends before"));
    EXPECT_THAT(why_not(by_hand("\4\1" + number(huge))), HasSubstr("ends before"));
  }
}

TEST(TreeBytes, WithAnImpossibleShapeAreRefused) {
  const auto two_dimensions = [](std::uint64_t a, std::uint64_t b) {
    return by_hand("\4\1" + number(2) + number(a) + number(b) + std::string(64, '\0'));
  };
  EXPECT_THAT(why_not(two_dimensions(2, ~0ull)), HasSubstr("no array has the shape (2, -1)"));
  EXPECT_THAT(why_not(two_dimensions(1ull << 40, 1ull << 40)), HasSubstr("no array has the shape"));
  EXPECT_THAT(why_not(two_dimensions(1ull << 62, 1)), HasSubstr("ends before an array of shape"));
}

TEST(TreeBytes, WithAKeyTwiceAreRefused) {
  const auto entry = number(1) + "a\x9\1";
  EXPECT_THAT(why_not(by_hand("\1" + number(2) + entry + entry)),
              HasSubstr("the key 'a' appears twice"));
}

TEST(TreeBytes, WithUnknownNumbersAreRefused) {
  EXPECT_THAT(why_not(by_hand("\x0a")), HasSubstr("at byte 15: no node has the tag 10"));
  EXPECT_THAT(why_not(by_hand(std::string(1, '\0'))), HasSubstr("no node has the tag 0"));
  EXPECT_THAT(why_not(by_hand("\x9\2")), HasSubstr("0 or 1, not 2"));
  EXPECT_THAT(why_not(by_hand("\4\x0e" + number(0))), HasSubstr("no dtype has the number 14"));
}

TEST(TreeBytes, WithSomethingInAGapAreRefused) {
  auto text = std::string(pack(tree(array::of(std::vector<float>{1}))).text());
  ASSERT_EQ(text.size(), 68u);
  text[50] = 1;
  EXPECT_THAT(why_not(payload::copy_of(text)), HasSubstr("gap"));
}

TEST(TreeBytes, OfBooleansAreZeroesAndOnes) {
  auto text = std::string(pack(tree(array::of(std::vector<bool>{true, false}))).text());
  EXPECT_EQ(unpack(payload::copy_of(text)).value(),
            tree(array::of(std::vector<bool>{true, false})));
  text.back() = 2;
  EXPECT_THAT(why_not(payload::copy_of(text)), HasSubstr("neither 0 nor 1"));
}

// ---- any tree, any bytes

template <class T>
array random_array() {
  shape_vector shape = *rc::gen::container<shape_vector>(*rc::gen::inRange(0, 4),
                                                         rc::gen::inRange<std::int64_t>(0, 4));
  const auto n = static_cast<std::size_t>(element_count(shape));
  return array::of(*rc::gen::container<std::vector<T>>(n, rc::gen::arbitrary<T>()), shape);
}

tree random_leaf() {
  switch (*rc::gen::inRange(0, 8)) {
    case 0: return random_array<float>();
    case 1: return random_array<std::uint8_t>();
    case 2: return random_array<bool>();
    case 3: return *rc::gen::arbitrary<std::string>();
    case 4: return bytes_leaf{payload::copy_of(*rc::gen::arbitrary<std::string>())};
    case 5: return *rc::gen::arbitrary<std::int64_t>();
    case 6: return std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
    default: return *rc::gen::arbitrary<bool>();
  }
}

tree random_tree(int depth) {
  const auto kind = depth == 0 ? 3 : *rc::gen::inRange(0, 4);
  if (kind == 3) return random_leaf();
  std::vector<tree> items;
  for (int n = *rc::gen::inRange(0, 4); n > 0; --n) items.push_back(random_tree(depth - 1));
  if (kind == 0) return tree::list{items};
  if (kind == 1) return tree::tuple{items};
  tree t;
  for (auto& item : items) t.set(*rc::gen::arbitrary<std::string>(), item);
  return t;
}

RC_GTEST_PROP(TreeBytes, OfAnyTreeAreReadBackAsThatTree, ()) {
  const auto t = random_tree(4);
  RC_ASSERT(check_packable(t).ok());
  const auto back = unpack(pack(t));
  RC_ASSERT(back.ok());
  RC_ASSERT(*back == t);
  RC_ASSERT(leaf_paths(*back) == leaf_paths(t));
}

RC_GTEST_PROP(TreeBytes, OfTheSameTreeAreTheSame, ()) {
  const auto t = random_tree(3);
  RC_ASSERT(pack(t) == pack(unpack(pack(t)).value()));
}

RC_GTEST_PROP(TreeBytes, CutAnywhereOfAnyTreeAreRefused, ()) {
  const auto packed = pack(random_tree(3));
  const auto n = *rc::gen::inRange<std::size_t>(0, packed.size());
  RC_ASSERT(!unpack(packed.part(0, n)).ok());
}

RC_GTEST_PROP(TreeBytes, WithOneByteChangedAreAnotherTreeOrRefused, ()) {
  const auto t = random_tree(3);
  auto changed = std::string(pack(t).text());
  const auto at = *rc::gen::inRange<std::size_t>(0, changed.size());
  changed[at] = static_cast<char>(changed[at] ^ *rc::gen::inRange(1, 256));
  const auto back = unpack(payload::copy_of(changed));
  if (back.ok()) RC_ASSERT(!(*back == t) && pack(*back).text() == changed);
}

RC_GTEST_PROP(TreeBytes, OfAnyKindAreWrittenBackAsTheyWereOrRefused, (std::string noise)) {
  const auto bytes = by_hand(noise);
  const auto back = unpack(bytes);
  if (back.ok()) RC_ASSERT(pack(*back) == bytes);
}

}  // namespace
}  // namespace muster
