#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include <muster/messages/values/dtype.hpp>

namespace muster {
namespace {

TEST(Dtype, HasTheSizeOfItsElementType) {
  EXPECT_EQ(size_of(dtype_of<float>), sizeof(float));
  EXPECT_EQ(size_of(dtype_of<double>), sizeof(double));
  EXPECT_EQ(size_of(dtype_of<std::int16_t>), sizeof(std::int16_t));
  EXPECT_EQ(size_of(dtype_of<std::uint64_t>), sizeof(std::uint64_t));
  EXPECT_EQ(size_of(dtype_of<bool>), 1u);
  EXPECT_EQ(size_of(dtype::bf16), 2u);
}

TEST(Dtype, ComesFromItsWireNumberAndFromNoOther) {
  for (std::uint32_t n = 1; n <= 13; ++n) {
    ASSERT_TRUE(dtype_from_number(n));
    EXPECT_EQ(static_cast<std::uint32_t>(*dtype_from_number(n)), n);
  }
  EXPECT_FALSE(dtype_from_number(0));
  EXPECT_FALSE(dtype_from_number(14));
  EXPECT_FALSE(dtype_from_number(257));
}

TEST(Dtype, HasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (std::uint32_t n = 1; n <= 13; ++n) names.insert(to_string(*dtype_from_number(n)));
  EXPECT_EQ(names.size(), 13u);
  EXPECT_EQ(to_string(dtype::bf16), "bf16");
}

TEST(DtypeDeathTest, WithoutASizeIsOurBug) {
  EXPECT_DEATH((void)size_of(dtype{99}), "dtype number 99");
}

}  // namespace
}  // namespace muster
