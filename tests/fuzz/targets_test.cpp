#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <muster/tests/fuzz/targets.hpp>
#include <muster/tests/seeds/picks.hpp>

namespace muster::fuzz {
namespace {

// A byte changed, taken out or doubled, or the rest cut off.
payload changed(testing::picks& random, const payload& seed) {
  std::string text(seed.text());
  const auto at = static_cast<std::size_t>(random.below(text.size()));
  switch (random.below(4)) {
    case 0: text[at] = static_cast<char>(random.below(256)); break;
    case 1: text.erase(at, 1); break;
    case 2: text.insert(at, 1, text[at]); break;
    default: text.resize(at);
  }
  return payload::copy_of(std::string_view(text));
}

TEST(FuzzTargets, HaveNamesOfTheirOwnAndSeeds) {
  std::set<std::string_view> names;
  for (const target& t : targets()) {
    EXPECT_TRUE(names.insert(t.name).second) << t.name;
    EXPECT_EQ(target_named(t.name), &t);
    EXPECT_FALSE(t.seeds().empty()) << t.name;
  }
  EXPECT_EQ(target_named("nothing"), nullptr);
}

TEST(FuzzTargets, ReadWhatMusterWrites) {
  for (const target& t : targets())
    for (const payload& seed : t.seeds())
      EXPECT_TRUE(t.read(seed)) << t.name << ": " << seed.text();
}

// In a copy of exactly its size: the address sanitizer sees who reads on.
TEST(FuzzTargets, KeepTheirPromisesForEveryBeginningOfWhatMusterWrites) {
  for (const target& t : targets())
    for (const payload& seed : t.seeds())
      for (std::size_t length = 0; length < seed.size(); ++length)
        t.read(payload::copy_of(seed.part(0, length).bytes()));
}

RC_GTEST_PROP(FuzzTargets, KeepTheirPromisesForAnyChangeOfWhatMusterWrites, ()) {
  testing::picks random;
  const target& t = targets()[random.below(targets().size())];
  const auto seeds = t.seeds();
  payload input = seeds[random.below(seeds.size())];
  for (auto changes = random.below(4); changes != 0 && !input.empty(); --changes)
    input = changed(random, input);
  t.read(input);
}

}  // namespace
}  // namespace muster::fuzz
