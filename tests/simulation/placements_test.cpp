// Where hosts and devices stand changes no bit of a result; where the memory of a process lies changes no
// event of a simulation.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/random.hpp>
#include <muster/runtime/simulation/simulation.hpp>

namespace muster {
namespace {

using ::testing::Each;
using placement = std::vector<std::uint32_t>;

constexpr std::uint64_t leaf_count = 64;
constexpr std::size_t lanes = 8;

/// One leaf's numbers, each lane hard to add in its own way: where the order of additions shows.
std::vector<float> awkward(std::uint64_t leaf) {
  const auto n = static_cast<float>(leaf + 1);
  const float sign = leaf % 2 == 0 ? 1.0F : -1.0F;
  return {1.0F / n,                                      // never exact
          sign * 16'777'216.0F + n,                      // large ones that cancel
          std::numeric_limits<float>::denorm_min() * n,  // lost when flushed to zero
          leaf == 31 ? 3.0e38F : sign * 3.0e38F / n,     // close to an overflow
          leaf < 2 ? sign * HUGE_VALF : n,               // inf - inf
          -0.0F,                                         // whose sum keeps its sign
          sign * 1.0e-3F * n * n,                        // of many sizes
          leaf == 63 ? std::numeric_limits<float>::quiet_NaN() : n};
}

/// The documented order, said once more: split n leaves at the largest power of two below n.
std::vector<float> sum_in_order(std::uint64_t first, std::uint64_t last) {
  if (last - first == 1) return awkward(first);
  std::uint64_t half = 1;
  while (2 * half < last - first) half *= 2;
  auto low = sum_in_order(first, first + half);
  const auto high = sum_in_order(first + half, last);
  for (std::size_t i = 0; i < lanes; ++i) {
    low[i] += high[i];
    if (low[i] != low[i]) low[i] = std::numeric_limits<float>::quiet_NaN();
  }
  return low;
}

/// Sum and mean as every host has them, in rank order.
struct reductions {
  std::vector<array> sums, means;
};

reductions reduce_in(placement devices, std::uint64_t seed) {
  simulation_options o;
  o.seed = seed;
  o.devices = std::move(devices);
  simulation world(o);
  reductions out;
  out.sums.resize(world.world_size());
  out.means.resize(world.world_size());
  world.start_everywhere([&out](host& h) -> task<void> {
    std::vector<device_cover> covers;
    const std::uint64_t all = h.device_count();
    for (std::uint32_t d = 0; d < h.devices().size(); ++d) {
      const std::uint64_t at = h.first_device().value + d;
      covers.emplace_back(d, leaf_count);
      for (auto leaf = leaf_count * at / all; leaf < leaf_count * (at + 1) / all; ++leaf)
        covers.back().add(leaf, array::of(awkward(leaf), {2, lanes / 2}));
    }
    out.sums[h.rank().value] = co_await h.all_reduce(covers, reduce_op::sum);
    out.means[h.rank().value] = co_await h.all_reduce(covers, reduce_op::mean);
    co_await h.leave();
  });
  EXPECT_EQ(to_string(world.run()), to_string(status{})) << to_string(o);
  return out;
}

class Placement : public ::testing::TestWithParam<placement> {};

TEST_P(Placement, GivesTheOneSumAndTheOneMeanOfSixtyFourLeaves) {
  auto expected = sum_in_order(0, leaf_count);
  const auto sum = array::of(expected, {2, lanes / 2});
  for (auto& x : expected) x /= static_cast<float>(leaf_count);
  const auto mean = array::of(expected, {2, lanes / 2});
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto made = reduce_in(GetParam(), seed);
    EXPECT_THAT(made.sums, Each(sum)) << "seed " << seed;
    EXPECT_THAT(made.means, Each(mean)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(OfSixtyFourLeaves, Placement,
                         ::testing::Values(placement{2, 2, 2, 2}, placement(64, 1), placement{8},
                                           placement{3, 3, 2}, placement(5, 1)));

// ---- every type, through every layer

/// Any bytes that an array of this type may have.
array any_array(dtype type, std::uint64_t leaf) {
  random_source random(leaf);
  std::vector<std::uint8_t> bytes(6 * size_of(type));
  for (auto& b : bytes)
    b = static_cast<std::uint8_t>(type == dtype::boolean ? random.below(2) : random.below(256));
  return {type, {2, 3}, payload::adopt(std::move(bytes))};
}

/// What every host gets; empty when two get different bytes.
std::vector<array> reduce_all(dtype type, placement devices) {
  simulation_options o;
  o.devices = std::move(devices);
  simulation world(o);
  std::vector<std::vector<array>> got(world.world_size());
  world.start_everywhere([&got, type](host& h) -> task<void> {
    std::vector<device_cover> covers;
    for (std::uint32_t d = 0; d < h.devices().size(); ++d) {
      covers.emplace_back(d, h.device_count());
      const auto leaf = h.first_device().value + d;
      covers.back().add(leaf, any_array(type, leaf));
    }
    for (auto op :
         {reduce_op::sum, reduce_op::mean, reduce_op::prod, reduce_op::min, reduce_op::max,
          reduce_op::bit_and, reduce_op::bit_or, reduce_op::argmax, reduce_op::norm}) {
      auto outcome = co_await h.all_reduce(covers, op).as_result();
      EXPECT_EQ(outcome.ok(), reduces(op, type)) << to_string(outcome.why());
      if (outcome) got[h.rank().value].push_back(*outcome);
    }
    co_await h.leave();
  });
  EXPECT_EQ(to_string(world.run()), to_string(status{}));
  for (const auto& one : got)
    if (one != got[0]) return {};
  return got[0];
}

TEST(EveryType, IsReducedToTheSameBytesOnOneHostAndOnFour) {
  for (std::uint32_t number = 1; const auto type = dtype_from_number(number); ++number) {
    const auto one = reduce_all(*type, {8});
    EXPECT_GE(one.size(), 4u) << to_string(*type);
    EXPECT_EQ(reduce_all(*type, {2, 2, 2, 2}), one) << to_string(*type);
    EXPECT_EQ(reduce_all(*type, {3, 3, 2}), one) << to_string(*type);
  }
}

// ---- one trace hash for a seed, whatever the process

simulation_options traced_world() {
  simulation_options o;
  o.seed = 20'011;
  o.devices = {3, 1, 2, 1, 1, 2, 1, 1, 1};
  o.fan_out = 2;
  o.network.loss = 0.02;
  return o;
}

std::string trace_of_a_seed() {
  simulation world(traced_world());
  world.start_everywhere([](host& h) -> task<void> {
    for (std::uint32_t round = 0; round < 5; ++round) {
      co_await h.barrier("round");
      std::vector<device_cover> covers;
      for (std::uint32_t d = 0; d < h.devices().size(); ++d) {
        covers.emplace_back(d, h.device_count());
        covers.back().add(h.first_device().value + d, array::of(awkward(round)));
      }
      co_await h.all_reduce(covers, reduce_op::sum);
    }
    co_await h.leave();
  });
  for (int i = 1; i <= 20; ++i)
    world.after(i * std::chrono::milliseconds(50),
                [&world] { world.network().cut_link(rank{0}, rank{1}); });
  EXPECT_EQ(to_string(world.run()), to_string(status{}));
  return world.events().hash() + " of " + std::to_string(world.events().events()) + " events";
}

/// What another process of this program says the trace is. Its heap is laid out differently: by the system's
/// randomisation of addresses, where that is on, and by a block of its own before all else.
std::string trace_in_another_process(std::size_t block_bytes) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto command = "MUSTER_TEST_BLOCK_BYTES=" + std::to_string(block_bytes) + " '" + program +
                       "' --gtest_filter=TraceOfASeed.IsPrintedForAnotherProcess";
  FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) return "no process";
  std::string trace;
  const std::string mark = "trace: ";
  for (std::array<char, 512> line{}; std::fgets(line.data(), line.size(), output) != nullptr;)
    if (std::string(line.data()).starts_with(mark)) trace = line.data() + mark.size();
  if (pclose(output) != 0) return "a process that failed";
  while (trace.ends_with('\n')) trace.pop_back();
  return trace;
}

TEST(TraceOfASeed, IsPrintedForAnotherProcess) {
  const char* bytes = std::getenv("MUSTER_TEST_BLOCK_BYTES");
  const std::vector<char> block(bytes ? std::strtoull(bytes, nullptr, 10) : 0);
  std::printf("trace: %s\n", trace_of_a_seed().c_str());
}

/// What trace_of_a_seed says in every build, optimised or not, with a sanitizer or without. A change of what
/// hosts say to each other, or when, changes it; the test prints the new one.
constexpr const char* known_trace = "bb47f524d6d51bb7 of 1334 events";

TEST(TraceOfASeed, IsTheSameInEveryBuild) { EXPECT_EQ(trace_of_a_seed(), known_trace); }

TEST(TraceOfASeed, IsTheSameInEveryProcess) {
  const auto here = trace_of_a_seed();
  EXPECT_EQ(trace_in_another_process(0), here);
  EXPECT_EQ(trace_in_another_process(100'007), here);
}

}  // namespace
}  // namespace muster
