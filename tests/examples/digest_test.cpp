#include <muster/examples/train_text/digest.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace train_text {
namespace {

// The published digest of no bytes at all.
TEST(Digest, OfNothingIsThatOfXxh3) {
  EXPECT_EQ(digest_of(muster::bytes_view{}), "99aa06d3014798d86001c324468d497f");
}

// `printf '\0\0\200\77\0\0\0\300' | xxh128sum`
TEST(Digest, OfTwoFloatsIsThatOfTheirLittleEndianBytes) {
  const std::vector<float> values{1.0F, -2.0F};
  EXPECT_EQ(digest_of(values), "d11372a3f8d4096998cd4bf727a9d2ae");
}

TEST(Digest, TellsZerosOfDifferentSignApart) {
  const std::vector<float> plus{0.0F};
  const std::vector<float> minus{-0.0F};
  EXPECT_NE(digest_of(plus), digest_of(minus));
}

}  // namespace
}  // namespace train_text
