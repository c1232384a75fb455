#include <muster/messages/values/layouts/relayout.hpp>

#include <map>
#include <set>

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
using ::testing::IsEmpty;

std::vector<std::string> steps(const relayout_plan& plan) {
  std::vector<std::string> out;
  for (const auto& s : plan.steps)
    out.push_back(std::to_string(s.from.value) + ">" + std::to_string(s.to.value) + " " +
                  to_string(s.slice));
  return out;
}

TEST(Relayout, FromRowsToColumnsHandsOverTheBlocksOffTheDiagonal) {
  const auto m = make_mesh({{"x", 2}});
  const auto plan =
      plan_relayout(make_layout({"x", ""}, m), make_layout({"", "x"}, m), {4, 4}).value();
  EXPECT_THAT(steps(plan),
              ElementsAre("0>0 [0:2, 0:2]", "1>0 [2:4, 0:2]", "0>1 [0:2, 2:4]", "1>1 [2:4, 2:4]"));
  EXPECT_EQ(plan.moved, 8);
  EXPECT_EQ(plan.kept, 8);
  EXPECT_EQ(plan.moved_between_hosts, 0);
}

TEST(Relayout, FromReplicatedToShardedMovesNothing) {
  const auto m = make_mesh({{"x", 2}, {"y", 2}}, 4);
  const auto plan = plan_relayout(make_layout({""}, m), make_layout({"x+y"}, m), {7}).value();
  EXPECT_EQ(plan.moved, 0);
  EXPECT_EQ(plan.kept, 7);
}

TEST(Relayout, ToTheSameLayoutKeepsEverything) {
  const auto l = make_layout({"x", ""}, make_mesh({{"x", 2}, {"y", 2}}));
  const auto plan = plan_relayout(l, l, {3, 3}).value();
  EXPECT_EQ(plan.moved, 0);
  EXPECT_EQ(plan.kept, 2 * 9);
}

TEST(Relayout, TakesFromAReplicaOnTheSameHost) {
  // y is replicated over x: hosts 0 and 1 both hold both halves.
  const auto m = make_mesh({{"x", 2}, {"y", 2}}, 2);
  const auto plan = plan_relayout(make_layout({"y"}, m), make_layout({""}, m), {2}).value();
  EXPECT_THAT(steps(plan), ElementsAre("0>0 [0:1]", "1>0 [1:2]", "0>1 [0:1]", "1>1 [1:2]",
                                       "2>2 [0:1]", "3>2 [1:2]", "2>3 [0:1]", "3>3 [1:2]"));
  EXPECT_EQ(plan.moved, 4);
  EXPECT_EQ(plan.moved_between_hosts, 0);
}

TEST(Relayout, LetsReplicasTakeTurns) {
  // Devices 0 and 1 hold the first half, 2 and 3 the second, each on a host of its own.
  const auto m = make_mesh({{"x", 2}, {"y", 2}}, 4);
  const auto plan = plan_relayout(make_layout({"x"}, m), make_layout({""}, m), {2}).value();
  EXPECT_THAT(steps(plan), ElementsAre("0>0 [0:1]", "2>0 [1:2]", "1>1 [0:1]", "3>1 [1:2]",
                                       "0>2 [0:1]", "2>2 [1:2]", "1>3 [0:1]", "3>3 [1:2]"));
  EXPECT_EQ(plan.moved_between_hosts, 4);
}

TEST(Relayout, OfAnArrayWithoutElementsHasNoSteps) {
  const auto m = make_mesh({{"x", 2}});
  EXPECT_THAT(plan_relayout(make_layout({"x"}, m), make_layout({""}, m), {0}).value().steps,
              IsEmpty());
}

TEST(Relayout, OfAScalarKeepsIt) {
  const auto l = layout::replicated(make_mesh({{"x", 2}}), 0);
  EXPECT_THAT(steps(plan_relayout(l, l, {}).value()), ElementsAre("0>0 []", "1>1 []"));
}

TEST(Relayout, RefusesOtherDevicesAndSaysWhichDiffer) {
  const auto a = make_layout({"x"}, make_mesh({{"x", 2}}));
  EXPECT_EQ(
      plan_relayout(a, make_layout({"x"}, make_mesh({{"x", 3}})), {6}).why().text,
      "a relayout keeps the devices: in ascending order, number 2 is none before and device 2 of "
      "host 0 afterwards");
  EXPECT_THAT(plan_relayout(a, make_layout({"x"}, make_mesh({{"x", 2}}, 2)), {6}).why().text,
              HasSubstr("number 1 is device 1 of host 0 before and device 1 of host 1 afterwards"));
}

TEST(Relayout, RefusesMatchAndAnotherRank) {
  const auto m = make_mesh({{"x", 2}});
  EXPECT_THAT(plan_relayout(make_layout({"x"}, m), make_layout({"match"}, m), {2}).why().text,
              HasSubstr("match"));
  EXPECT_THAT(plan_relayout(make_layout({"x"}, m), make_layout({"x", ""}, m), {2}).why().text,
              HasSubstr("same rank"));
}

TEST(Relayout, RefusesAPlanOfSliversBeforeItIsMade) {
  const auto m = make_mesh({{"x", 4096}});
  const auto why = plan_relayout(make_layout({"x"}, m), make_layout({""}, m), {4096}).why();
  EXPECT_EQ(why.code, status_code::resource_exhausted);
  EXPECT_THAT(why.text,
              HasSubstr("from [x] to [unsharded] over 4096 devices takes more than 4194304"));
}

// ---- against brute force

void each_element(const array_slice& slice, const std::function<void(const shape_vector&)>& f) {
  shape_vector at;
  for (const auto& r : slice) {
    if (r.size() == 0) return;
    at.push_back(r.first);
  }
  for (;;) {
    f(at);
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == slice[d - 1].last) {
      at[d - 1] = slice[d - 1].first;
      --d;
    }
    if (d == 0) return;
  }
}

using held_elements = std::map<device_index, std::set<shape_vector>>;

held_elements held_in(const layout& l, const shape_vector& shape) {
  held_elements out;
  for (std::size_t p = 0; p < l.mesh().size(); ++p) {
    auto& held = out[l.mesh().devices()[p].index];
    each_element(l.slice_of(p, shape).value(), [&](const auto& e) { held.insert(e); });
  }
  return out;
}

/// The same devices in another shape and order.
mesh another_mesh(picks& random, const mesh& of) {
  std::vector<mesh_device> devices(of.devices().begin(), of.devices().end());
  if (random.chance(0.5))
    for (std::size_t i = devices.size(); i > 1; --i)
      std::swap(devices[i - 1], devices[random.below(i)]);
  std::vector<std::int64_t> sizes;
  auto left = static_cast<std::int64_t>(devices.size());
  for (std::int64_t d : {2, 3, 2})
    if (left % d == 0 && random.chance(0.7)) sizes.push_back(d), left /= d;
  std::vector<mesh_dimension> dimensions{{"rest", left}};
  for (auto size : sizes) dimensions.push_back({"d" + std::to_string(dimensions.size()), size});
  return mesh::of("", of.kind(), std::move(dimensions), std::move(devices)).value();
}

/// What a plan does that an owner per element would not do, or nothing.
std::string mistake_in_plan(const layout& from, const layout& to, const shape_vector& shape) {
  const auto before = held_in(from, shape), after = held_in(to, shape);
  const auto plan = plan_relayout(from, to, shape).value();
  held_elements received;
  for (const auto& d : from.mesh().devices()) received[d.index];
  std::int64_t moved = 0, missing = 0;
  std::string mistake;
  for (const auto& s : plan.steps)
    each_element(s.slice, [&](const auto& e) {
      if (!before.at(s.from).contains(e)) mistake = "a device sends what it does not hold";
      if (!received[s.to].insert(e).second) mistake = "a device is given an element twice";
      moved += s.from != s.to;
    });
  if (received != after) mistake = "a device holds other elements afterwards";
  for (const auto& [device, elements] : after)
    for (const auto& e : elements) missing += !before.at(device).contains(e);
  if (moved != missing || plan.moved != missing) mistake = "other elements move than are missing";
  return mistake;
}

RC_GTEST_PROP(Relayout, GivesEveryDeviceItsNewElementsOnceAndMovesNoMoreThanAreMissing, ()) {
  picks random;
  const auto from = random_layout(random, random_mesh(random));
  const auto to = random_layout(random, another_mesh(random, from.mesh()), from.rank());
  RC_ASSERT(mistake_in_plan(from, to, random_shape(random, from.rank())) == "");
}

/// Eight devices on four hosts, in this order.
mesh ordered(std::vector<mesh_dimension> dimensions, std::initializer_list<std::uint32_t> order) {
  std::vector<mesh_device> devices;
  for (auto d : order) devices.push_back({device_index{d}, rank{d / 2}});
  return mesh::of("", device_kind::cpu, std::move(dimensions), std::move(devices)).value();
}

// Source: the cases of JAX's reshard tests.
TEST(Relayout, ToReversedAndMixedOrdersOfTheDevicesGivesEachItsSlice) {
  const auto line = make_mesh({{"x", 8}}, 4), rows = make_mesh({{"x", 4}, {"y", 2}}, 4);
  const auto reversed = ordered({{"x", 4}, {"y", 2}}, {7, 6, 5, 4, 3, 2, 1, 0});
  const auto mixed = ordered({{"x", 2}, {"y", 2}, {"z", 2}}, {0, 7, 6, 2, 4, 3, 5, 1});
  const auto check = [](const layout& from, const layout& to) {
    EXPECT_EQ(mistake_in_plan(from, to, {8, 2}), "") << to_string(from) << " to " << to_string(to);
  };
  check(make_layout({"x", ""}, line), make_layout({"x", "y"}, reversed));
  check(make_layout({"", ""}, line), make_layout({"x", "y"}, reversed));
  check(make_layout({"x", ""}, line), make_layout({"", ""}, reversed));
  check(make_layout({"", ""}, line), make_layout({"", ""}, reversed));
  check(make_layout({"x", "y"}, rows), make_layout({"y", ""}, make_mesh({{"x", 2}, {"y", 4}}, 4)));
  check(make_layout({"x", ""}, line), make_layout({"x", "y"}, mixed));
}

}  // namespace
}  // namespace muster::testing
