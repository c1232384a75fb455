// The verdict on ten thousand ranks, as the root makes it and as it travels: bounded whoever is missing, and
// wherever they are instead.
#include <functional>

#include <gtest/gtest.h>

#include <muster/actors/protocols/collective.hpp>
#include <muster/actors/protocols/tree_shape.hpp>
#include <muster/messages/values/random.hpp>
#include <muster/messages/wire/codec.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t world_size = 10'000;
constexpr time_point t0{1h};
/// A bit per rank, or a range where that is shorter.
constexpr std::size_t rank_set_bytes_max = world_size / 8 + 64;

operation_key key(std::string name) { return named_key{op_kind::barrier, std::move(name)}; }

signature barrier(std::string name) {
  signature s;
  s.name = std::move(name);
  return s;
}

/// The verdict of a root whose sixteen branches answer that all have arrived but the missing ones, each of
/// which waits in the operation that `elsewhere` names, if any.
status decided_without(const rank_set& missing,
                       const std::function<std::string(rank)>& elsewhere = {}) {
  collective root({rank{0}, world_size, limits::fan_out_default, generation{1}}, t0);
  const auto branches = tree_shape::of(rank{0}, rank_set::of_range(rank{0}, rank{world_size - 1}),
                                       limits::fan_out_default)
                            .children;
  auto hear = [&](time_point at, rank from, message what) {
    return root.step(at, received{from, {}, std::move(what)});
  };
  root.step(t0, arrive{ticket{1}, barrier("x"), {1s, 5s}, {}});
  for (const auto& b : branches)
    for (auto r : elsewhere ? missing.intersection(b.ranks).members() : std::vector<rank>{})
      hear(t0, b.head, opened{key(elsewhere(r)), {60s, 600s}, {{barrier(elsewhere(r)), {r}}}});
  root.step(t0 + 5s, tick{});
  status outcome;
  for (const auto& b : branches)
    for (const auto& effect :
         hear(t0 + 5s, b.head, closed{key("x"), b.ranks.minus(missing), true, 1}))
      if (const auto* r = std::get_if<release>(&effect)) outcome = r->outcome;
  return outcome;
}

/// How many bytes the verdict takes on its way, when it arrives as it was.
std::size_t bytes_on_the_way(const status& outcome) {
  const envelope said{generation{1}, {}, verdict{verdict_number{1}, key("x"), outcome, true, {}}};
  const auto sent = encode(said);
  EXPECT_EQ(decode(sent.header, sent.frames).value(), said);
  return sent.header.size();
}

rank_set every(std::uint32_t nth) {
  rank_set out;
  for (std::uint32_t r = 1; r < world_size; r += nth) out.insert(rank{r});
  return out;
}

TEST(VerdictOnTenThousandRanks, NamesEverySecondOneInABoundedMessage) {
  const auto outcome = decided_without(every(2));
  EXPECT_EQ(outcome.missing(), every(2));
  EXPECT_LE(bytes_on_the_way(outcome), rank_set_bytes_max + 256);
  EXPECT_LE(to_string(outcome).size(), 1'024u) << "and is a line that can be read";
}

TEST(VerdictOnTenThousandRanks, NamesAnyOfThemInABoundedMessage) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    random_source random(seed);
    const double share = 0.001 + 0.2 * static_cast<double>(seed - 1);
    rank_set missing;
    for (std::uint32_t r = 1; r < world_size; ++r)
      if (random.chance(share)) missing.insert(rank{r});
    const auto outcome = decided_without(missing);
    EXPECT_EQ(outcome.missing(), missing) << "seed " << seed;
    EXPECT_LE(bytes_on_the_way(outcome), rank_set_bytes_max + 256) << "seed " << seed;
    EXPECT_LE(to_string(outcome).size(), 1'024u) << "seed " << seed;
  }
}

TEST(VerdictOnTenThousandRanks, NamesAllButTheRootInAFewBytes) {
  EXPECT_LE(bytes_on_the_way(decided_without(rank_set::of_range(rank{1}, rank{world_size - 1}))),
            256u);
}

TEST(VerdictOnTenThousandRanks, CountsTheOperationsThatItHasNoRoomFor) {
  const auto outcome = decided_without(every(20), [](rank r) {
    return std::string(limits::name_bytes_max - 8, 'n') + to_string(r);
  });
  EXPECT_EQ(outcome.missing(), every(20));
  ASSERT_LE(outcome.absences.size(), limits::intents_max + 1);
  EXPECT_EQ(outcome.absences.back().what,
            std::to_string(500 - limits::intents_max) + " other operations");
  EXPECT_LE(bytes_on_the_way(outcome),
            limits::intents_max * (limits::name_bytes_max + 128) + rank_set_bytes_max);
}

}  // namespace
}  // namespace muster
