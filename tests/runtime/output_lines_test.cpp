#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/limits.hpp>
#include <muster/runtime/launcher/live_line.hpp>
#include <muster/runtime/launcher/output_lines.hpp>

namespace muster {
namespace {

using testing::StartsWith;

std::string taken(output_lines& lines, std::string_view chunk) {
  std::string out;
  lines.take(chunk, out);
  return out;
}
std::string rest(output_lines& lines) {
  std::string out;
  lines.finish(out);
  return out;
}

TEST(OutputLines, HaveThePrefixAndComeWhole) {
  output_lines lines("[3] ", false);
  EXPECT_EQ(taken(lines, "one\ntw"), "[3] one\n");
  EXPECT_EQ(taken(lines, "o\n\nthree"), "[3] two\n[3] \n");
  EXPECT_EQ(rest(lines), "[3] three\n");
  EXPECT_EQ(rest(lines), "");
}

TEST(OutputLines, AreTheSameHoweverTheBytesArrive) {
  const std::string text = "a\nbc\r\nd\re\n\n\rf";
  output_lines whole("> ", false), bytes("> ", false);
  std::string one_by_one;
  for (char c : text) bytes.take({&c, 1}, one_by_one);
  one_by_one += rest(bytes);
  std::string at_once = taken(whole, text);
  at_once += rest(whole);
  EXPECT_EQ(one_by_one, at_once);
}

TEST(OutputLines, LoseNothingWhereNobodyWatches) {
  output_lines lines("> ", false);
  EXPECT_EQ(taken(lines, "\r10 %\r20 %"), "> 10 %\n");
  EXPECT_EQ(taken(lines, "\r30 %\n"), "> 20 %\n> 30 %\n");
}

TEST(OutputLines, TakeBothKindsOfLineEnd) {
  output_lines lines("> ", false), live("> ", true);
  EXPECT_EQ(taken(lines, "a\r\nb\r\n"), "> a\n> b\n");
  EXPECT_EQ(taken(live, "a\r\nb\r\n"), "> a\n> b\n");
}

TEST(OutputLines, StartOverAtACarriageReturnWhereSomebodyWatches) {
  output_lines lines("> ", true);
  EXPECT_EQ(taken(lines, "\rstep 1"), "");
  EXPECT_EQ(lines.unfinished(), "> step 1");
  taken(lines, "\rstep");
  EXPECT_EQ(lines.unfinished(), "> step");
  EXPECT_EQ(taken(lines, " 2\n"), "> step 2\n");
  EXPECT_EQ(lines.unfinished(), "");
}

TEST(OutputLines, KeepALineThatEndsWithTheReturn) {
  output_lines lines("> ", true);
  taken(lines, "step 1\r");
  EXPECT_EQ(lines.unfinished(), "> step 1");
  EXPECT_EQ(rest(lines), "> step 1\n");
}

TEST(OutputLines, BreakALineThatNeverEnds) {
  output_lines lines("> ", false);
  auto out = taken(lines, std::string(limits::output_line_bytes_max, 'x'));
  EXPECT_EQ(out, "") << "at the limit";
  out = taken(lines, "y");
  EXPECT_EQ(out.size(), 2 + limits::output_line_bytes_max + 1);
  EXPECT_EQ(rest(lines), "> y\n");
}

TEST(OutputLines, LeaveBytesAsTheyAreWithoutAPrefix) {
  output_lines lines("", false);
  const std::string text(3 * limits::output_line_bytes_max + 5, 'x');
  auto out = taken(lines, text);
  out += rest(lines);
  EXPECT_EQ(out, text);
}

TEST(LiveLine, StaysBelowWhatIsPrinted) {
  live_line line;
  EXPECT_EQ(line.print("a\n"), "a\n");
  EXPECT_EQ(line.show("live"), "");
  EXPECT_EQ(line.draw(80), "live");
  EXPECT_EQ(line.print("b\n"), "\r\x1b[Kb\n");
  EXPECT_EQ(line.print("c\n"), "c\n");
  EXPECT_EQ(line.draw(80), "live");
}

TEST(LiveLine, IsDrawnOnlyWhenItChanges) {
  live_line line;
  line.show("1");
  EXPECT_EQ(line.draw(80), "1");
  EXPECT_EQ(line.show("1") + line.draw(80), "");
  EXPECT_EQ(line.show("2"), "\r\x1b[K");
  EXPECT_EQ(line.draw(80), "2");
}

TEST(LiveLine, NeverComesBackOnceItHasEnded) {
  live_line line;
  line.show("1 of 2");
  line.draw(80);
  EXPECT_EQ(line.print("2 of 2\n"), "\r\x1b[K2 of 2\n");
  EXPECT_EQ(line.show(""), "");
  EXPECT_EQ(line.draw(80), "");
}

TEST(LiveLine, IsCutWhereTheTerminalEnds) {
  EXPECT_EQ(cut_to_columns("abc", 3), "abc");
  EXPECT_EQ(cut_to_columns("abcd", 3), "abc");
  EXPECT_EQ(cut_to_columns("\xc3\xa4\xc3\xb6\xc3\xbc.", 3), "\xc3\xa4\xc3\xb6\xc3\xbc");
  EXPECT_EQ(cut_to_columns("\x1b[31mred", 3), "\x1b[31mred");
}

}  // namespace
}  // namespace muster
