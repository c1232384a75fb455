#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <muster/messages/values/text.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST(Text, QuotesANameAsItIs) { EXPECT_EQ(in_quotes("data-ready/ä"), "'data-ready/ä'"); }

TEST(Text, EscapesWhatWouldEndTheQuoteOrTheLine) {
  EXPECT_EQ(in_quotes("it's\n\\"), R"('it\'s\n\\')");
  EXPECT_EQ(in_quotes(std::string_view("\0\x7f", 2)), R"('\x00\x7f')");
}

TEST(Text, OnOneLineKeepsItsQuotes) { EXPECT_EQ(one_line("a 'b'\tc\r\n"), R"(a 'b'\tc\x0d\n)"); }

RC_GTEST_PROP(Text, QuotesDifferentNamesDifferently, (std::string a, std::string b)) {
  RC_ASSERT((a == b) == (in_quotes(a) == in_quotes(b)));
}

TEST(DurationText, UsesTheLargestUnitThatFits) {
  EXPECT_EQ(to_string(duration{250ms}), "250 ms");
  EXPECT_EQ(to_string(duration{1500ms}), "1.5 s");
  EXPECT_EQ(to_string(duration{30min}), "30 min");
  EXPECT_EQ(to_string(duration{36h}), "36 h");
  EXPECT_EQ(to_string(duration{7ns}), "7 ns");
  EXPECT_EQ(to_string(duration{1us + 20ns}), "1.02 us");
}

TEST(DurationText, CutsAndNeverRoundsUp) {
  EXPECT_EQ(to_string(duration{4'999'999'999ns}), "4.999 s");
}

TEST(DurationText, KnowsZeroNegativesAndForever) {
  EXPECT_EQ(to_string(duration::zero()), "0 s");
  EXPECT_EQ(to_string(duration{-1500ms}), "-1.5 s");
  EXPECT_EQ(to_string(duration::max()), "forever");
  EXPECT_EQ(to_string(duration::min()).front(), '-');
}

}  // namespace
}  // namespace muster
