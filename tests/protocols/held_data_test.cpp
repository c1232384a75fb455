// Data that hosts hold back, as one core sees it: when it moves, what is said of it, and what the verdict waits for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/tests/protocols/collective_words.hpp>

namespace muster::testing {
namespace {

arrive gives(std::uint64_t ticket_number, contribution given) {
  return {ticket{ticket_number}, says(op_kind::process_allgather), {1s, 5s}, std::move(given)};
}

contribution inline_of(const payload& bytes) { return {{}, {bytes}, {}}; }
contribution held_of(std::uint32_t self, std::uint64_t bytes) {
  return {{}, {}, {{rank{self}, bytes, {}}}};
}

received completes_with(std::uint32_t from_rank, contribution given) {
  return from(from_rank,
              complete{operation(1), {1s, 5s}, says(op_kind::process_allgather), std::move(given)});
}

TEST(HeldData, MovesWhenAllHaveArrivedAndTheVerdictWaitsForEveryone) {
  auto root = core_of(0, 3);
  (void)root.step(t0, gives(1, inline_of(payload::copy_of("abc"))));
  (void)root.step(t0, completes_with(2, held_of(2, 1'000)));
  auto effects = root.step(t0, completes_with(1, inline_of(payload::copy_of("x"))));
  const std::vector<held_part> all{{rank{0}, 3, {}}, {rank{1}, 1, {}}, {rank{2}, 1'000, {}}};
  ASSERT_EQ(sent<proceed>(effects).size(), 2u);
  EXPECT_EQ(sent<proceed>(effects)[0].second, (proceed{operation(1), all}));
  ASSERT_EQ(muster::testing::all<move_data>(effects).size(), 1u);
  EXPECT_EQ(muster::testing::all<move_data>(effects)[0].held, all);
  EXPECT_TRUE(outcomes(root.step(t0, moved{operation(1), {}})).empty());
  EXPECT_TRUE(outcomes(root.step(t0, from(1, delivered{operation(1)}))).empty());
  EXPECT_THAT(outcomes(root.step(t0, from(2, delivered{operation(1)}))),
              ends_with(status_code::ok));
}

TEST(HeldData, IsWhatSmallContributionsBecomeThatAreTooMuchTogether) {
  const auto mebibyte = payload::adopt(std::vector<char>(limits::inline_bytes_max));
  const auto hosts =
      static_cast<std::uint32_t>(limits::inline_result_bytes_max / limits::inline_bytes_max);
  for (const auto more : {0u, 1u}) {
    auto root = core_of(0, hosts + more, hosts + more);
    auto effects = root.step(t0, gives(1, inline_of(mebibyte)));
    for (std::uint32_t r = 1; r < hosts + more; ++r)
      effects = root.step(t0, completes_with(r, inline_of(mebibyte)));
    EXPECT_EQ(muster::testing::all<move_data>(effects).size(), more);
    EXPECT_EQ(outcomes(effects).size(), 1 - more);
  }
}

TEST(HeldData, IsSaidAgainOnANewLinkInBothDirections) {
  auto root = core_of(0, 2), leaf = core_of(1, 2);
  (void)root.step(t0, gives(1, held_of(0, 9)));
  (void)leaf.step(t0, gives(1, held_of(1, 9)));
  (void)root.step(t0, completes_with(1, held_of(1, 9)));
  const auto again = sent<proceed>(root.step(t0, peer_connected{rank{1}}));
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(muster::testing::all<move_data>(leaf.step(t0, from(0, again[0].second))).size(), 1u);
  EXPECT_TRUE(muster::testing::all<move_data>(leaf.step(t0, from(0, again[0].second))).empty())
      << "moved once";
  EXPECT_EQ(sent<delivered>(leaf.step(t0, moved{operation(1), {}})).size(), 1u);
  EXPECT_EQ(sent<delivered>(leaf.step(t0, peer_connected{rank{0}})).size(), 1u);
}

TEST(HeldData, ThatDoesNotArriveInTimeNamesWhoLacksIt) {
  auto root = core_of(0, 3);
  (void)root.step(t0, gives(1, held_of(0, 9)));
  (void)root.step(t0, completes_with(1, held_of(1, 9)));
  (void)root.step(t0, completes_with(2, held_of(2, 9)));
  (void)root.step(t0, moved{operation(1), {}});
  (void)root.step(t0, from(1, delivered{operation(1)}));
  EXPECT_EQ(sent<close>(root.step(t0 + 5s, tick{})).size(), 1u)
      << "only who has not said so is asked";
  const auto ended = outcomes(root.step(t0 + 6s, tick{}));
  ASSERT_THAT(ended, ends_with(status_code::deadline_exceeded));
  EXPECT_EQ(ended[0].missing(), rank_set{rank{2}});
  EXPECT_THAT(ended[0].text, ::testing::HasSubstr("all ranks arrived, and 2 of 3 had their data"));
}

TEST(HeldData, OfRanksThatAreNotThereIsNoData) {
  auto root = core_of(0, 3);
  const auto why = [](const collective_effects& effects) {
    const auto all_ignored = muster::testing::all<ignored>(effects);
    return all_ignored.empty() ? "" : std::string(all_ignored[0].why);
  };
  EXPECT_EQ(why(root.step(t0, completes_with(1, held_of(2, 9)))),
            "data held by ranks that are not below that child");
  auto leaf = core_of(1, 3);
  (void)leaf.step(t0, gives(1, held_of(1, 9)));
  for (const auto& held :
       {std::vector<held_part>{{rank{7}, 9, {}}}, {{rank{2}, 9, {}}, {rank{1}, 9, {}}}})
    EXPECT_EQ(why(leaf.step(t0, from(0, proceed{operation(1), held}))),
              "an order to move data of ranks out of order");
}

TEST(HeldData, ThatCannotBeStoredFailsEverywhere) {
  auto leaf = core_of(1, 2);
  (void)leaf.step(t0, gives(1, held_of(1, 9)));
  (void)leaf.step(t0, from(0, proceed{operation(1), {{rank{0}, 9, {}}, {rank{1}, 9, {}}}}));
  const auto why = error(status_code::resource_exhausted, "no memory");
  const auto said = sent<fail>(leaf.step(t0, moved{operation(1), why}));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].second.cause, why);
}

}  // namespace
}  // namespace muster::testing
