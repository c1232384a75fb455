#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/status.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

signature barrier_of(std::string name) {
  return {op_kind::barrier, std::move(name), {}, {}, {}, {}, 0};
}

TEST(StatusCode, ComesFromItsNumberAndFromNoOther) {
  for (std::uint32_t n = 0; n <= 16; ++n) {
    ASSERT_TRUE(status_code_from_number(n));
    EXPECT_EQ(static_cast<std::uint32_t>(*status_code_from_number(n)), n);
  }
  EXPECT_FALSE(status_code_from_number(17));
  EXPECT_FALSE(status_code_from_number(256));
}

TEST(StatusCode, HasANameAndAnExitCodeOfItsOwn) {
  std::set<std::string_view> names;
  std::set<int> exits;
  for (std::uint32_t n = 0; n <= 16; ++n) {
    names.insert(to_string(*status_code_from_number(n)));
    exits.insert(exit_code(*status_code_from_number(n)));
  }
  EXPECT_EQ(names.size(), 17u);
  EXPECT_EQ(exits.size(), 17u);
}

TEST(StatusCode, ExitsApartFromShellsAndSignals) {
  EXPECT_EQ(exit_code(status_code::ok), 0);
  for (std::uint32_t n = 1; n <= 16; ++n) {
    EXPECT_GT(exit_code(*status_code_from_number(n)), 2);
    EXPECT_LT(exit_code(*status_code_from_number(n)), 126);
  }
}

TEST(Absence, SaysWhereTheRanksAreInstead) {
  using enum absence::state;
  EXPECT_EQ(to_string(absence{{rank{1}}, not_arrived, "", {}}), "rank 1 has not arrived");
  EXPECT_EQ(to_string(absence{rank_set::of_range(rank{1}, rank{3}), not_arrived, "", {}}),
            "ranks 1-3 have not arrived");
  EXPECT_EQ(to_string(absence{{rank{2}}, elsewhere, "barrier 'y'", 3200ms}),
            "rank 2 waits in barrier 'y' for 3.2 s");
  EXPECT_EQ(to_string(absence{{rank{2}, rank{4}}, left, "", {}}), "ranks 2,4 have left");
  EXPECT_EQ(to_string(absence{{rank{5}}, never_joined, "", {}}), "rank 5 never joined");
  EXPECT_EQ(to_string(absence{{rank{6}}, unreachable, "", {}}), "rank 6 is unreachable");
}

TEST(Status, IsOkAtFirst) {
  EXPECT_TRUE(status{}.ok());
  EXPECT_EQ(to_string(status{}), "ok");
}

TEST(Status, PrintsEveryDetailOnOneLine) {
  status s = error(status_code::deadline_exceeded, "barrier 'x' missed its hard deadline of 5 s");
  s.absences = {{{rank{1}}, absence::state::not_arrived, "", {}},
                {{rank{2}}, absence::state::elsewhere, "barrier 'y'", 4s}};
  EXPECT_EQ(
      to_string(s),
      "deadline_exceeded: barrier 'x' missed its hard deadline of 5 s; rank 1 has not arrived; "
      "rank 2 waits in barrier 'y' for 4 s");
}

TEST(Status, OfAMismatchPrintsWhoSaidWhatAndWhoWasNotHeard) {
  status s = error(status_code::mismatch, "operation 7 differs");
  s.statements = {{barrier_of("a"), {rank{0}, rank{1}}}, {barrier_of("b"), {rank{2}}}};
  s.unheard = {rank{3}};
  EXPECT_EQ(to_string(s),
            "mismatch: operation 7 differs; ranks 0-1 said barrier 'a'; rank 2 said barrier 'b'; "
            "rank 3 was not heard");
}

TEST(Status, WithATextOfSeveralLinesPrintsOne) {
  EXPECT_EQ(to_string(error(status_code::aborted, "first\nsecond")), "aborted: first\\nsecond");
}

TEST(Status, IsMissingTheRanksOfAllAbsences) {
  status s = error(status_code::left, "x");
  s.absences = {{{rank{1}, rank{5}}, absence::state::left, "", {}},
                {{rank{2}}, absence::state::not_arrived, "", {}}};
  EXPECT_EQ(s.missing(), (rank_set{rank{1}, rank{2}, rank{5}}));
}

TEST(Result, HoldsAValue) {
  result<std::string> r = std::string("yes");
  ASSERT_TRUE(r);
  EXPECT_EQ(*r, "yes");
  EXPECT_EQ(r->size(), 3u);
  EXPECT_TRUE(r.why().ok());
  EXPECT_EQ(std::move(r).value(), "yes");
}

TEST(Result, HoldsAnErrorAndThrowsItWhenTheValueIsWanted) {
  const result<int> r = error(status_code::refused, "another job");
  EXPECT_FALSE(r.ok());
  EXPECT_EQ(r.why().code, status_code::refused);
  try {
    (void)r.value();
    FAIL() << "value() of an error returned";
  } catch (const status_error& e) {
    EXPECT_EQ(e.why(), r.why());
    EXPECT_STREQ(e.what(), "refused: another job");
  }
}

TEST(Result, OfNothingIsAStatus) {
  result<void> fine;
  EXPECT_TRUE(fine.ok());
  EXPECT_NO_THROW(fine.value());
  result<void> failed = error(status_code::cancelled, "asked for");
  EXPECT_FALSE(failed);
  EXPECT_THROW(failed.value(), status_error);
}

TEST(ResultDeathTest, WithoutAValueAndWithoutAReasonIsOurBug) {
  EXPECT_DEATH(result<int>{status{}}, "a result without a value says why");
}

}  // namespace
}  // namespace muster
