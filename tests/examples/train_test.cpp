// The trainer's coroutine on virtual hosts: what it tells, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include <muster/examples/train_text/train.hpp>
#include <muster/runtime/simulation/simulation.hpp>
#include <muster/tests/examples/texts.hpp>

namespace train_text {
namespace {

using muster::host;
using muster::rank;
using muster::simulation;
using muster::status;
using muster::status_code;
using testing::ElementsAre;
using testing::HasSubstr;

/// What a host told, one line for each thing.
struct diary final : report_sink {
  void began(const run_facts& f) override {
    lines.push_back("began rank " + std::to_string(f.rank) + " of " + std::to_string(f.hosts));
  }
  void stepped(std::uint64_t n, double) override { lines.push_back("step " + std::to_string(n)); }
  void epoch_closed(std::uint64_t e, std::uint64_t n, double) override {
    lines.push_back("epoch " + std::to_string(e) + " at " + std::to_string(n));
  }
  void compared(std::uint64_t n, const std::string& d) override {
    lines.push_back("compared at " + std::to_string(n));
    digest = d;
  }
  void ended(const train_summary& s) override {
    lines.push_back("ended");
    end = s;
  }
  std::vector<std::string> lines;
  std::string digest;
  train_summary end;
};

/// Each host with its own text and options.
struct trainees {
  explicit trainees(std::uint32_t hosts, std::uint32_t devices = 1)
      : world({.hosts = hosts, .devices_per_host = devices}), diaries(hosts), options(hosts) {
    for (auto& o : options) o = {.steps = 2, .digest_at = 1};
    texts.assign(hosts, std::make_shared<const corpus>(small_corpus()));
  }
  status run() {
    world.start_everywhere([this](host& h) { return body(h, h.rank().value); });
    return world.run();
  }
  muster::task<void> body(host& h, std::size_t r) {
    co_await train(h, texts[r], options[r], diaries[r]);
    co_await h.leave();
  }

  simulation world;
  std::vector<diary> diaries;
  std::vector<train_options> options;
  std::vector<std::shared_ptr<const corpus>> texts;
};

TEST(Train, TellsEveryHostOfStepsDigestsEpochsAndTheEnd) {
  trainees t(2);
  ASSERT_EQ(to_string(t.run()), to_string(status{}));
  EXPECT_THAT(t.diaries[1].lines, ElementsAre("began rank 1 of 2", "step 1", "compared at 1",
                                              "step 2", "epoch 1 at 2", "compared at 2", "ended"));
}

TEST(Train, EndsWithTheSameLossesAndDigestsOnEveryHost) {
  trainees t(3, 2);
  ASSERT_EQ(to_string(t.run()), to_string(status{}));
  const train_summary& first = t.diaries[0].end;
  for (const diary& d : t.diaries) {
    EXPECT_EQ(d.end.held_out_loss, first.held_out_loss);
    EXPECT_EQ(d.end.loss, first.loss);
    EXPECT_EQ(d.end.digest, first.digest);
    EXPECT_EQ(d.end.final_digest, first.final_digest);
  }
  EXPECT_NE(first.digest, first.final_digest);
  EXPECT_GT(first.held_out_loss, 0);
}

TEST(Train, ClosesAnEpochWheneverAsManySamplesAsTheTextHasWereTaken) {
  trainees t(1);
  t.options[0].steps = 50;  // 2,700 training characters are 43 steps of 64
  ASSERT_EQ(to_string(t.run()), to_string(status{}));
  EXPECT_THAT(t.diaries[0].lines, testing::IsSupersetOf({"epoch 1 at 43", "epoch 2 at 50"}));
}

TEST(Train, TellsOfEachDeviceUnderItsGlobalIndexAndWritesAtRankZeroOnly) {
  trainees t(2, 2);
  ASSERT_EQ(to_string(t.run()), to_string(status{}));
  const auto& devices = t.diaries[1].end.devices;
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].index, 2u);
  EXPECT_EQ(devices[1].index, 3u);
  EXPECT_GT(devices[1].launches, 0u);
  EXPECT_GT(devices[1].bytes_reduced, 0u);
  EXPECT_EQ(t.diaries[0].end.sample.size(), 400u);
  EXPECT_EQ(t.diaries[1].end.sample, "");
}

TEST(Train, RefusesHostsThatWereToldDifferentSeeds) {
  trainees t(3);
  t.options[2].seed = 2;
  const status why = t.run();
  EXPECT_EQ(why.code, status_code::mismatch);
  EXPECT_THAT(to_string(why), HasSubstr("seed 2"));
  for (std::uint32_t r = 0; r < 3; ++r) EXPECT_EQ(t.world.outcome(rank{r}), why);
}

TEST(Train, RefusesHostsThatReadDifferentTexts) {
  trainees t(2);
  t.texts[1] =
      std::make_shared<const corpus>(text_of(repeat("the cat sat on a mat; then it ran. ", 3'000)));
  EXPECT_EQ(t.run().code, status_code::mismatch);
}

TEST(Train, FailsEverywhereWhenTheDigestIsNotTheExpectedOne) {
  trainees t(2);
  for (auto& o : t.options) o.expect_digest = std::string(32, 'a');
  const status why = t.run();
  EXPECT_EQ(why.code, status_code::mismatch);
  EXPECT_THAT(why.text, HasSubstr("parameters after step 1 have digest " + t.diaries[0].digest));
  EXPECT_EQ(t.world.outcome(rank{1}), why);
}

TEST(Train, AcceptsTheExpectedDigest) {
  trainees first(1, 2);
  ASSERT_EQ(to_string(first.run()), to_string(status{}));
  trainees second(2);
  for (auto& o : second.options) o.expect_digest = *first.diaries[0].end.digest;
  EXPECT_EQ(to_string(second.run()), to_string(status{}));
}

TEST(Train, RefusesMoreDevicesThanLeaves) {
  trainees t(1, 17);
  EXPECT_THAT(t.run().text, HasSubstr("--leaves is 16"));
}

}  // namespace
}  // namespace train_text
