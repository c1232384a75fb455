// The bits of a reduction depend on its leaves alone: random leaves on random devices of random hosts, folded
// in a random order along a random tree, against one device that has them all and against a second opinion.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <muster/tests/devices/reduction_bench.hpp>

namespace muster {
namespace {

using test::bits_of;
using test::leaf_values;

// Any bits at all, so also NaNs of any payload, infinities and subnormals, mixed with numbers that cancel.
template <class T>
T any_number(std::mt19937_64& chance) {
  switch (chance() % 6) {
    case 0: return std::bit_cast<T>(static_cast<decltype(bits_of(T{}))>(chance()));
    case 1: return T(chance() % 2 ? 1e8 : -1e8);
    case 2: return std::bit_cast<T>(static_cast<decltype(bits_of(T{}))>(chance() % 8));
    case 3: return T(-0.0);
    default: return T(static_cast<double>(chance() % 2001) / 1000 - 1);
  }
}

template <class T>
leaf_values<T> any_leaves(std::mt19937_64& chance, std::size_t leaf_count, std::size_t elements) {
  leaf_values<T> values(leaf_count, std::vector<T>(elements));
  for (auto& leaf : values)
    for (auto& e : leaf) e = any_number<T>(chance);
  return values;
}

// Takes a few contributions out of the bag at random and puts back what they fold to, until one is left.
contribution folded_at_random(std::mt19937_64& chance, test::device_under_test& on,
                              const signature& said, std::vector<contribution> bag) {
  while (bag.size() > 1) {
    std::shuffle(bag.begin(), bag.end(), chance);
    const auto taken = std::min<std::size_t>(bag.size(), 2 + chance() % 3);
    const auto first = bag.end() - static_cast<std::ptrdiff_t>(taken);
    const std::vector<contribution> inputs(first, bag.end());
    bag.erase(first, bag.end());
    bag.push_back(test::settled(on, start_fold(on.get(), said, false, inputs)));
  }
  return test::settled(on, start_fold(on.get(), said, true, bag));
}

template <class T>
void bits_depend_on_leaves_alone(test::device_under_test& on, std::uint64_t seed) {
  std::mt19937_64 chance(seed);
  const auto values =
      any_leaves<T>(chance, 1 + chance() % 33, chance() % 4 == 0 ? 600 : chance() % 9);
  const auto op = chance() % 2 ? reduce_op::mean : reduce_op::sum;
  const auto said = test::reduction_of(op, dtype_of<T>, values.size(),
                                       static_cast<std::int64_t>(values[0].size()));
  std::vector<std::vector<std::uint64_t>> devices(1 + chance() % 9);
  for (std::uint64_t leaf = 0; leaf < values.size(); ++leaf)
    devices[chance() % devices.size()].push_back(leaf);
  std::vector<contribution> covers;
  for (auto& leaves : devices) {
    std::shuffle(leaves.begin(), leaves.end(), chance);
    covers.push_back(test::cover_of(on, said, values, leaves));
  }
  const auto whole = folded_at_random(chance, on, said, std::move(covers));
  RC_ASSERT(whole.parts == (std::vector<subtree>{{0, values.size()}}));
  const auto bits =
      bits_of(array{dtype_of<T>, said.shape, whole.frames.at(0)}.template copy_elements<T>());
  RC_ASSERT(bits == bits_of(test::reduced(on, op, values)));
  RC_ASSERT(bits == bits_of(test::expected(op, values)));
}

RC_GTEST_PROP(PlacementOverCpuDevices, GivesTheSameBitsInF32, (std::uint64_t seed)) {
  test::cpu_under_test on;
  bits_depend_on_leaves_alone<float>(on, seed);
}

RC_GTEST_PROP(PlacementOverCpuDevices, GivesTheSameBitsInF64, (std::uint64_t seed)) {
  test::cpu_under_test on;
  bits_depend_on_leaves_alone<double>(on, seed);
}

RC_GTEST_PROP(PlacementOverSimulatedDevices, GivesTheSameBitsInF32, (std::uint64_t seed)) {
  test::simulated_under_test on;
  bits_depend_on_leaves_alone<float>(on, seed);
}

RC_GTEST_PROP(PlacementOverSimulatedDevices, GivesTheSameBitsInF64, (std::uint64_t seed)) {
  test::simulated_under_test on;
  bits_depend_on_leaves_alone<double>(on, seed);
}

}  // namespace
}  // namespace muster
