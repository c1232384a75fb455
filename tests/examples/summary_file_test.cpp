#include <muster/examples/train_text/summary_file.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <nlohmann/json.hpp>

namespace train_text {
namespace {

train_summary some_summary() {
  train_summary end;
  end.run.hosts = 4;
  end.run.devices = 8;
  end.run.parameters = 64'596;
  end.run.steps = 1'500;
  end.run.trigram_loss = 2.5;
  end.held_out_loss = 2.25;
  end.digest = "d50";
  end.final_digest = "d1500";
  return end;
}

std::string content_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

TEST(SummaryFile, HasEveryResultByItsName) {
  const auto j =
      nlohmann::json::parse(summary_json(some_summary(), {.seed = 9}, "f.txt", 2.0, 48'000.0));
  EXPECT_EQ(j["text"], "f.txt");
  EXPECT_EQ(j["hosts"], 4);
  EXPECT_EQ(j["devices"], 8);
  EXPECT_EQ(j["parameters"], 64'596);
  EXPECT_EQ(j["steps"], 1'500);
  EXPECT_EQ(j["seed"], 9);
  EXPECT_EQ(j["held_out_loss"], 2.25);
  EXPECT_EQ(j["trigram_loss"], 2.5);
  EXPECT_EQ(j["beats_trigram"], true);
  EXPECT_EQ(j["digest_at"], 50);
  EXPECT_EQ(j["digest"], "d50");
  EXPECT_EQ(j["final_digest"], "d1500");
}

TEST(SummaryFile, HasNullForADigestThatWasNotReached) {
  train_summary end = some_summary();
  end.digest.reset();
  EXPECT_TRUE(nlohmann::json::parse(summary_json(end, {}, "f", 1, 1))["digest"].is_null());
}

TEST(SummaryFile, ALossThatIsNoNumberBeatsNothing) {
  train_summary end = some_summary();
  end.held_out_loss = std::nan("");
  EXPECT_FALSE(end.beats_trigram());
  end.held_out_loss = end.run.trigram_loss;
  EXPECT_FALSE(end.beats_trigram());
}

TEST(SummaryFile, SurvivesAFileNameThatIsNotUtf8) {
  const std::string text = summary_json(some_summary(), {}, "caf\xe9", 1, 1);
  EXPECT_EQ(nlohmann::json::parse(text)["text"], "caf\xef\xbf\xbd");
}

TEST(SummaryFile, ReplacesTheOldOneAndLeavesNothingElse) {
  const std::filesystem::path folder = testing::TempDir() + "summary_file_test";
  std::filesystem::create_directory(folder);
  const std::string path = folder / "s.json";
  EXPECT_TRUE(write_file(path, "old").ok());
  EXPECT_TRUE(write_file(path, "new").ok());
  EXPECT_EQ(content_of(path), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
}

TEST(SummaryFile, SaysWhyItCannotBeWritten) {
  const muster::status why = write_file("/no/such/folder/s.json", "x");
  EXPECT_EQ(why.code, muster::status_code::unavailable);
  EXPECT_EQ(why.text,
            "summary file '/no/such/folder/s.json' cannot be written: No such file or directory");
}

}  // namespace
}  // namespace train_text
