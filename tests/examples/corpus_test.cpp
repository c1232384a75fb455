#include <muster/examples/train_text/corpus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <muster/tests/examples/texts.hpp>

namespace train_text {
namespace {

using muster::status_code;
using testing::HasSubstr;

std::string why(const muster::result<corpus>& r) {
  EXPECT_EQ(r.why().code, status_code::invalid_argument);
  return r.why().text;
}

TEST(Corpus, CodesAreRanksOfTheBytesThatOccur) {
  const corpus text = text_of(repeat("cab", 2'000));
  EXPECT_EQ(text.vocabulary(), 3U);
  EXPECT_EQ(text.codes()[0], 2);
  EXPECT_EQ(text.codes()[1], 0);
  EXPECT_EQ(text.character(2), 'c');
}

TEST(Corpus, KeepsBytesAbove127Apart) {
  const corpus text = text_of(repeat("a\xc3\xa9", 2'000));
  EXPECT_EQ(text.vocabulary(), 3U);
  EXPECT_EQ(text.character(text.codes()[1]), '\xc3');
}

TEST(Corpus, HoldsOutTheLastTenth) {
  const corpus text = text_of(repeat("abc", 2'005));
  EXPECT_EQ(text.held_out_first(), 1'805U);
  EXPECT_EQ(text.held_out_last(), 2'005U);
}

TEST(Corpus, EvaluatesABoundedPartOfALongHeldOutPart) {
  const corpus text = text_of(repeat("abc", 400'000));
  EXPECT_EQ(text.held_out_last() - text.held_out_first(), held_out_evaluated_max);
}

TEST(Corpus, PositionsCoverTheTrainingPartAndNothingElse) {
  const corpus text = text_of(repeat("abc", 2'000));
  std::size_t lowest = text.codes().size();
  std::size_t highest = 0;
  for (std::uint64_t step = 0; step < 1'000; ++step) {
    for (std::uint32_t sample = 0; sample < 16; ++sample) {
      const std::size_t at = text.position(1, step, sample, 16);
      lowest = std::min(lowest, at);
      highest = std::max(highest, at);
    }
  }
  EXPECT_EQ(lowest, 16U);
  EXPECT_EQ(highest, text.held_out_first() - 1);
}

TEST(Corpus, PositionsDependOnSeedStepAndSample) {
  const corpus text = text_of(repeat("abc", 100'000));
  const std::size_t at = text.position(1, 2, 3, 16);
  EXPECT_EQ(at, text.position(1, 2, 3, 16));
  EXPECT_NE(at, text.position(9, 2, 3, 16));
  EXPECT_NE(at, text.position(1, 9, 3, 16));
  EXPECT_NE(at, text.position(1, 2, 9, 16));
  EXPECT_NE(at, text.position(1, 3, 2, 16));
}

TEST(Corpus, AnEmptyTextIsRefused) {
  EXPECT_EQ(why(corpus::of("", "x")), "text file 'x' is empty");
}

TEST(Corpus, AShortTextIsRefusedWithBothLengths) {
  const std::string text(text_bytes_min - 1, 'a');
  EXPECT_EQ(why(corpus::of(text, "x")),
            "text file 'x' has 1999 characters; at least 2000 are needed");
  EXPECT_TRUE(corpus::of(text + "b", "x").ok());
}

TEST(Corpus, ABinaryFileIsRefusedWithTheOffset) {
  std::string text(5'000, 'a');
  text[77] = '\0';
  EXPECT_EQ(why(corpus::of(text, "x")),
            "text file 'x' is not text: it has a zero byte at offset 77");
}

TEST(Corpus, ATextBeyondTheLimitIsRefused) {
  const std::string text(text_bytes_max + 1, 'a');
  EXPECT_THAT(why(corpus::of(text, "x")), HasSubstr("longer than 67108864 bytes"));
}

TEST(Corpus, AMissingFileAndADirectoryAreNamed) {
  EXPECT_EQ(why(corpus::read("/no/such/file")),
            "text file '/no/such/file' cannot be opened: No such file or directory");
  EXPECT_EQ(why(corpus::read("/")), "text file '/' cannot be read: it is a directory");
}

TEST(Corpus, AFileIsReadByteForByte) {
  const std::string path = testing::TempDir() + "corpus_test_text";
  const std::string text = repeat("line\r\n", 70'000);
  std::ofstream(path, std::ios::binary) << text;
  const corpus read = corpus::read(path).value();
  std::filesystem::remove(path);
  ASSERT_EQ(read.codes().size(), text.size());
  for (std::size_t i = 0; i < text.size(); ++i)
    ASSERT_EQ(read.character(read.codes()[i]), text[i]) << i;
}

}  // namespace
}  // namespace train_text
