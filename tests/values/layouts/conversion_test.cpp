#include <muster/messages/values/layouts/conversion.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <muster/tests/seeds/picks.hpp>
#include <muster/tests/values/layouts/meshes.hpp>

namespace muster::testing {
namespace {

using ::testing::HasSubstr;

/// Four hosts with two devices each; host p owns row p.
mesh rows() { return make_mesh({{"x", 4}, {"y", 2}}, 4); }
/// The same devices in a line.
mesh line() { return make_mesh({{"x", 8}}, 4); }

partition_spec spec(std::initializer_list<std::string_view> words) {
  return partition_spec::of(words).value();
}

struct row {
  shape_vector local;
  partition_spec over;
  shape_vector global;
};

// The anchor's table: mesh x=4,y=2, and a line of eight.
TEST(HostLocalToGlobal, MultipliesEachDimensionByWhatOtherHostsAdd) {
  const std::vector<row> on_rows{
      {{2, 2}, spec({"x", "y"}), {8, 2}},
      {{2, 2}, spec({}), {2, 2}},
      {{2, 2}, spec({"x", ""}), {8, 2}},
      {{2, 2}, spec({"y", "x"}), {2, 8}},
      {{4}, spec({"x"}), {16}},
      {{4}, spec({"x+y"}), {16}},
      {{4}, spec({"y+x"}), {16}},
      {{1}, spec({"x"}), {4}},
      {{3, 2}, spec({"x", "y"}), {12, 2}},
      {{}, spec({}), {}},
      {{0, 2}, spec({"x"}), {0, 2}},
  };
  for (const auto& r : on_rows)
    for (std::uint32_t host = 0; host < 4; ++host)
      EXPECT_EQ(global_shape_of_host_local(r.local, rows(), rank{host}, r.over).value(), r.global)
          << to_string(r.local) << " over " << to_string(r.over);
  EXPECT_EQ(global_shape_of_host_local({4}, line(), rank{0}, spec({"x"})).value(),
            (shape_vector{16}));
  EXPECT_EQ(global_shape_of_host_local({4}, line(), rank{0}, spec({})).value(), (shape_vector{4}));
}

TEST(HostLocalToGlobal, RefusesADimensionThatTheHostsDevicesDoNotDivide) {
  EXPECT_EQ(
      global_shape_of_host_local({3, 2}, rows(), rank{1}, spec({"y", ""})).why().text,
      "dimension 0 of shape (3, 2) at host 1 has size 3: [y,unsharded] cuts it into 2, which must "
      "divide it");
  EXPECT_FALSE(global_shape_of_host_local({2, 3}, rows(), rank{0}, spec({"", "y"})).ok());
  EXPECT_FALSE(global_shape_of_host_local({3}, line(), rank{0}, spec({"x"})).ok());
}

TEST(HostLocalToGlobal, RefusesWhatHasNoAnswer) {
  const auto why = [](const shape_vector& shape, const mesh& m, std::uint32_t host,
                      const partition_spec& s) {
    return global_shape_of_host_local(shape, m, rank{host}, s).why().text;
  };
  EXPECT_THAT(why({2}, rows(), 0, spec({"x", "y"})),
              HasSubstr("has 2 dimensions and the array has 1"));
  EXPECT_THAT(why({2}, rows(), 0, spec({"q"})), HasSubstr("no mesh dimension 'q'"));
  EXPECT_THAT(why({2}, rows(), 0, spec({"match"})), HasSubstr("has match"));
  EXPECT_THAT(why({2}, rows(), 9, spec({"x"})), HasSubstr("host 9 has no device"));
  EXPECT_THAT(why({-2}, rows(), 0, spec({"x"})), HasSubstr("negative"));
  EXPECT_THAT(why({1LL << 61}, rows(), 0, spec({"x"})), HasSubstr("63 bits"));
  const auto corners = mesh::of("", device_kind::cpu, {{"x", 2}, {"y", 2}},
                                {{device_index{0}, rank{0}},
                                 {device_index{1}, rank{1}},
                                 {device_index{2}, rank{1}},
                                 {device_index{3}, rank{0}}})
                           .value();
  EXPECT_THAT(why({2}, corners, 0, spec({"x"})), HasSubstr("no box of the mesh"));
}

RC_GTEST_PROP(GlobalToHostLocal, IsTheInverseOnAnyMeshThatGivesHostsBoxes, ()) {
  picks random;
  const auto m = make_mesh({{"x", 4}, {"y", 2}, {"z", 2}}, 1u << random.below(5));
  const auto l = random_layout(random, m);
  auto local = random_shape(random, l.rank());
  for (auto& n : local) n *= 16;
  const auto host = rank{static_cast<std::uint32_t>(random.below(m.hosts().size()))};
  const auto global = global_shape_of_host_local(local, m, host, l.spec()).value();
  RC_ASSERT(host_local_shape_of_global(global, m, host, l.spec()).value() == local);
}

TEST(GlobalToHostLocal, RefusesADimensionThatTheWholeMeshDoesNotDivide) {
  EXPECT_THAT(host_local_shape_of_global({6}, rows(), rank{0}, spec({"x"})).why().text,
              HasSubstr("cuts it into 4"));
}

/// The values that a host contributes, put where its devices' slices are.
std::vector<int> assemble(const mesh& m, const partition_spec& s, const shape_vector& global) {
  std::vector<int> out(static_cast<std::size_t>(global[0]), -1);
  const auto l = layout::of(s.padded(1).value(), m).value();
  for (std::size_t p = 0; p < m.size(); ++p) {
    const int host = static_cast<int>(m.devices()[p].host.value);
    const auto slice = l.slice_of(p, global).value()[0];
    const auto first =
        l.slice_of(m.positions_of(m.devices()[p].host).front(), global).value()[0].first;
    for (auto i = slice.first; i < slice.last; ++i)
      out[static_cast<std::size_t>(i)] = host * static_cast<int>(i - first);
  }
  return out;
}

// Every host gives 0, 1, 2, 3 times its rank. (The anchor's example leaves host 0's block out.)
TEST(HostLocalToGlobal, PutsTheHostsBlocksInRankOrder) {
  EXPECT_EQ(assemble(line(), spec({"x"}), {16}),
            (std::vector<int>{0, 0, 0, 0, 0, 1, 2, 3, 0, 2, 4, 6, 0, 3, 6, 9}));
  EXPECT_EQ(assemble(make_mesh({{"host", 4}, {"dev", 2}}, 4), spec({"host"}), {16}),
            (std::vector<int>{0, 0, 0, 0, 0, 1, 2, 3, 0, 2, 4, 6, 0, 3, 6, 9}));
}

// ---- batching and transposition

TEST(BatchedSpec, HasTheNewDimensionWhereItStands) {
  EXPECT_EQ(batched(spec({"x", "y"}), 0).value(), spec({"", "x", "y"}));
  EXPECT_EQ(batched(spec({"x", "y"}), 1, "z").value(), spec({"x", "z", "y"}));
  EXPECT_EQ(batched(spec({"x", "y"}), 2, "z").value(), spec({"x", "y", "z"}));
}

TEST(BatchedSpec, ThatIsShorterThanTheBatchDimensionIsPaddedFirst) {
  EXPECT_EQ(batched(spec({"x"}), 3, "z").value(), spec({"x", "", "", "z"}));
  EXPECT_EQ(batched(spec({}), 1, "z").value(), spec({"", "z"}));
}

TEST(BatchedSpec, RefusesAnAxisThatIsUsedAndADimensionThatNoArrayHas) {
  EXPECT_THAT(batched(spec({"x"}), 0, "x").why().text, HasSubstr("twice"));
  EXPECT_FALSE(batched(spec({"x"}), 1'000'000).ok());
}

TEST(TransposedConversion, IsTheSameOne) {
  for (auto c : {conversion::host_local_to_global, conversion::global_to_host_local})
    EXPECT_EQ(transposed(c), c);
}

// ---- trees

tree model() {
  tree layers(tree::list{{tree(1), tree(2)}});
  tree out;
  out.set("w", layers).set("b", tree(3)).set("pair", tree(tree::tuple{{tree(4), tree(5)}}));
  return out;
}

spec_tree leaf(std::initializer_list<std::string_view> words) { return {spec(words)}; }

TEST(SpecTree, IsOneSpecForEveryLeafBelowIt) {
  EXPECT_EQ(specs_of_leaves(leaf({"x"}), model()).value(), std::vector(5, spec({"x"})));
  EXPECT_EQ(specs_of_leaves(leaf({"x"}), tree(1)).value().size(), 1u);
  EXPECT_TRUE(specs_of_leaves(leaf({"x"}), tree{}).value().empty());
}

TEST(SpecTree, MatchesDictsByKeyAndListsByPosition) {
  const spec_tree specs{spec_tree::dict{{{"pair", {spec_tree::tuple{{leaf({}), leaf({"y"})}}}},
                                         {"b", leaf({"z"})},
                                         {"w", leaf({"x"})}}}};
  EXPECT_EQ(specs_of_leaves(specs, model()).value(),
            (std::vector{spec({"x"}), spec({"x"}), spec({"z"}), spec({}), spec({"y"})}));
}

TEST(SpecTree, NamesThePathWhereItDoesNotFit) {
  const auto why = [](spec_tree pair, const char* key = "pair") {
    const spec_tree specs{
        spec_tree::dict{{{"w", leaf({})}, {"b", leaf({})}, {key, std::move(pair)}}}};
    return specs_of_leaves(specs, model()).why().text;
  };
  EXPECT_THAT(why(leaf({}), "other"), HasSubstr("at '': the tree has no key 'other'"));
  EXPECT_THAT(why({spec_tree::list{{leaf({}), leaf({})}}}),
              HasSubstr("at 'pair': the specs have a list"));
  EXPECT_THAT(why({spec_tree::tuple{{leaf({})}}}), HasSubstr("at 'pair': 1 specs for 2 items"));
  EXPECT_THAT(why({spec_tree::tuple{{leaf({}), {spec_tree::dict{}}}}}),
              HasSubstr("at 'pair/1': the specs have a dict"));
  EXPECT_THAT(specs_of_leaves({spec_tree::dict{{{"w", leaf({})}}}}, model()).why().text,
              HasSubstr("the specs have no key 'b'"));
}

}  // namespace
}  // namespace muster::testing
