#include <gtest/gtest.h>

#include <muster/messages/values/ensure.hpp>

namespace muster {
namespace {

TEST(Ensure, LetsATrueConditionPass) { ensure(true, "one is one"); }

TEST(EnsureDeathTest, AbortsWithFileLineAndTheBrokenRule) {
  EXPECT_DEATH(ensure(false, "a part lies inside"),
               "ensure_test.cpp:[0-9]+: .*our bug: a part lies inside");
}

}  // namespace
}  // namespace muster
