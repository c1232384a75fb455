// Data that moves from host to host, under what can happen meanwhile: a host dies at any moment, links are cut.
#include <array>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/random.hpp>
#include <muster/runtime/simulation/simulation.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t hosts = 5;
constexpr duration hard = 5s;

simulation_options world_of_five() {
  simulation_options o;
  o.hosts = hosts;
  o.fan_out = 2;
  return o;
}

array numbers(std::int64_t n, std::uint64_t first) {
  std::vector<float> out;
  for (std::int64_t i = 0; i < n; ++i)
    out.push_back(static_cast<float>(first + static_cast<std::uint64_t>(i)));
  return array::of(std::move(out));
}

constexpr std::int64_t count = 500'000;  // 2 MB
using work = std::function<task<status>(host&)>;

task<status> broadcasts(host& h) {
  const tree own = numbers(count, h.rank().value);
  const auto got =
      co_await h.broadcast_one_to_all(own, {.source = rank{2}, .soft = 1s, .hard = hard})
          .as_result();
  if (got && !(*got == tree(numbers(count, 2))))
    co_return error(status_code::internal, "other bytes");
  co_return got.why();
}

task<status> gathers(host& h) {
  const tree own = numbers(count / 5, 1'000 * h.rank().value);
  const auto got =
      co_await h.gather(own, {.target = rank{3}, .soft = 1s, .hard = hard}).as_result();
  if (got && h.rank() == rank{3})
    for (std::uint32_t r = 0; r < hosts; ++r)
      if (!((*got)[r] == tree(numbers(count / 5, 1'000 * r))))
        co_return error(status_code::internal, "other bytes");
  co_return got.why();
}

task<status> reduces(host& h) {
  std::vector<device_cover> covers{device_cover(0, hosts)};
  covers[0].add(h.rank().value, numbers(count, h.rank().value));
  const auto got = co_await h.all_reduce(covers, reduce_op::max, {1s, hard}).as_result();
  if (got && *got != numbers(count, hosts - 1))
    co_return error(status_code::internal, "other bytes");
  co_return got.why();
}

struct outcome {
  std::vector<std::optional<status>> ended = std::vector<std::optional<status>>(hosts);
  time_point from{}, until{};  // of the operation, in virtual time
};

outcome run(const work& what, const std::function<void(simulation&)>& faults) {
  simulation world(world_of_five());
  outcome out;
  world.start_everywhere([&](host& h) -> task<void> {
    auto& mine = out.ended[h.rank().value];
    if (!(co_await h.barrier("begin", {1s, hard}).as_result()).ok()) {
      mine = error(status_code::unknown, "it died before");
      co_return;
    }
    if (h.rank() == rank{0}) out.from = world.now();
    mine = co_await what(h);
    out.until = world.now();
  });
  if (faults) faults(world);
  [[maybe_unused]] auto ignored = world.run(60s);
  return out;
}

class WhileDataMoves : public ::testing::TestWithParam<work> {};

// Members that know the verdict know the same one; a host that lost the root says that it does not know.
TEST_P(WhileDataMoves, ADeathAtAnyMomentIsTheSameForAllThatStay) {
  const auto healthy = run(GetParam(), {});
  for (const auto& ended : healthy.ended) ASSERT_EQ(to_string(ended.value()), to_string(status{}));
  constexpr int moments = 24;
  int failed = 0;
  for (const std::uint32_t victim : {0u, 1u, 4u})
    for (int i = 0; i <= moments; ++i) {
      const auto at =
          healthy.from.time_since_epoch() + (healthy.until - healthy.from) * i / moments;
      const auto seen = run(GetParam(), [&](simulation& world) {
        world.after(at, [&world, victim] { world.network().exit(rank{victim}); });
      });
      std::optional<status> verdict;
      for (std::uint32_t r = 0; r < hosts; ++r) {
        if (r == victim) continue;
        ASSERT_TRUE(seen.ended[r].has_value()) << "rank " << r << " waits for ever";
        const auto& why = *seen.ended[r];
        ASSERT_NE(why.code, status_code::internal) << why.text;
        if (why.code == status_code::unknown) continue;
        if (!verdict) verdict = why;
        EXPECT_EQ(why, *verdict) << "rank " << r << ", when " << victim << " dies at moment " << i;
      }
      failed += verdict && !verdict->ok();
    }
  EXPECT_GT(failed, 0) << "no death came in time to matter";
}

TEST_P(WhileDataMoves, CutLinksAreHealedUnnoticed) {
  const auto healthy = run(GetParam(), {});
  random_source random(7);
  for (int round = 0; round < 20; ++round) {
    const auto seen = run(GetParam(), [&](simulation& world) {
      for (int i = 0; i < 20; ++i) {
        const auto at = healthy.from.time_since_epoch() +
                        duration(static_cast<std::int64_t>(random.below(
                            static_cast<std::uint64_t>((healthy.until - healthy.from).count()))));
        const rank a{static_cast<std::uint32_t>(random.below(hosts))};
        const rank b{static_cast<std::uint32_t>((a.value + 1 + random.below(hosts - 1)) % hosts)};
        world.after(at, [&world, a, b] { world.network().cut_link(a, b); });
      }
    });
    for (std::uint32_t r = 0; r < hosts; ++r)
      ASSERT_EQ(to_string(seen.ended[r].value()), to_string(status{}))
          << "rank " << r << ", round " << round;
  }
}

struct to_name {
  std::string operator()(const ::testing::TestParamInfo<work>& kind) const {
    return std::array{"broadcast", "gather", "all_reduce"}.at(kind.index);
  }
};

INSTANTIATE_TEST_SUITE_P(Bulk, WhileDataMoves,
                         ::testing::Values(work(broadcasts), work(gathers), work(reduces)),
                         to_name());

}  // namespace
}  // namespace muster
