// What runs is what is simulated: the trainer's one coroutine gives the same parameters, bit for bit, in four
// real processes and in virtual worlds of any placement.
#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <muster/examples/train_text/corpus.hpp>
#include <muster/examples/train_text/train.hpp>
#include <muster/runtime/simulation/simulation.hpp>
#include <muster/tests/system/muster_process.hpp>

namespace muster {
namespace {

constexpr std::uint64_t steps = 3;
constexpr std::uint32_t leaves = 64;  // micro-batches of a step
const std::string text_path = "/usr/share/common-licenses/GPL-3";

struct digest_sink final : train_text::report_sink {
  std::map<std::uint64_t, std::string> digests;
  void began(const train_text::run_facts&) override {}
  void stepped(std::uint64_t, double) override {}
  void epoch_closed(std::uint64_t, std::uint64_t, double) override {}
  void compared(std::uint64_t done, const std::string& digest) override { digests[done] = digest; }
  void ended(const train_text::train_summary&) override {}
};

train_text::train_options few_steps() {
  train_text::train_options o;
  o.steps = steps;
  o.digest_at = steps;
  o.leaves = leaves;
  return o;
}

/// The digest after the last step in a virtual world of these devices, or how it failed.
std::string digest_in_a_virtual_world(std::vector<std::uint32_t> devices, std::uint64_t seed) {
  simulation_options o;
  o.seed = seed;
  o.devices = std::move(devices);
  simulation world(o);
  auto text =
      std::make_shared<const train_text::corpus>(train_text::corpus::read(text_path).value());
  digest_sink sink;
  world.start_everywhere([&](host& h) -> task<void> {
    co_await train_text::train(h, text, few_steps(), sink);
    co_await h.leave();
  });
  const auto ended = world.run();
  if (ended.ok()) return sink.digests.at(steps);
  std::string why;
  for (std::uint32_t r = 0; r < world.world_size(); ++r) {
    const auto outcome = world.outcome(rank{r});
    why += "rank " + std::to_string(r) + ": " + to_string(outcome) + "\n";
  }
  return why;
}

std::string digest_of_real_processes() {
  const std::string summary = ::testing::TempDir() + "one_digest_summary.json";
  const auto run =
      run_muster({"run", "--hosts", "4", "--devices", "2", "--", TRAIN_TEXT_PROGRAM, text_path,
                  "--steps", std::to_string(steps), "--digest-at", std::to_string(steps),
                  "--leaves", std::to_string(leaves), "--summary", summary});
  EXPECT_EQ(run.exit_code, 0) << run.output << run.errors;
  std::ifstream file(summary);
  return nlohmann::json::parse(file).at("final_digest").get<std::string>();
}

TEST(OneDigest, IsThatOfFourProcessesAndOfEveryVirtualPlacement) {
  const auto real = digest_of_real_processes();
  EXPECT_EQ(digest_in_a_virtual_world({2, 2, 2, 2}, 1), real);
  EXPECT_EQ(digest_in_a_virtual_world({8}, 2), real);
  EXPECT_EQ(digest_in_a_virtual_world(std::vector<std::uint32_t>(64, 1), 3), real);
  EXPECT_EQ(digest_in_a_virtual_world({3, 3, 2}, 4), real);
  EXPECT_EQ(digest_in_a_virtual_world({1, 1, 1, 1, 1}, 5), real);
  EXPECT_EQ(digest_in_a_virtual_world({1}, 6), real);
}

}  // namespace
}  // namespace muster
