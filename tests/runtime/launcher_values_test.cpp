#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/cluster/text_values.hpp>
#include <muster/runtime/launcher/child_environment.hpp>
#include <muster/runtime/launcher/program.hpp>
#include <muster/runtime/launcher/random_names.hpp>

namespace muster {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const world_facts world{
    "j", "secret", "127.0.0.1:1,127.0.0.1:2", 4, {device_request::kind::cpu, 2}};

environment as_environment(const std::vector<std::string>& entries) {
  environment out;
  for (auto& e : entries)
    if (e.starts_with("MUSTER_"))
      out.emplace_back(e.substr(0, e.find('=')), e.substr(e.find('=') + 1));
  return out;
}

TEST(ChildEnvironment, IsOneThatAHostUnderstands) {
  auto options =
      host_options::from_environment(as_environment(child_environment({}, world, rank{3}, true)))
          .value();
  EXPECT_EQ(options.job, "j");
  EXPECT_EQ(options.credential, "secret");
  EXPECT_EQ(options.rank, rank{3});
  EXPECT_EQ(options.world_size, 4u);
  EXPECT_EQ(options.launcher->bulk, (address{"127.0.0.1", 2}));
  EXPECT_EQ(options.devices, world.devices);
  EXPECT_TRUE(options.terminal);
}

TEST(ChildEnvironment, ForgetsTheWorldThatItWasStartedIn) {
  auto entries =
      child_environment({"MUSTER_ROOT=a:1", "MUSTER_RANK=9", "MUSTER_BIND=*", "MUSTER_HOSTS=a:1"},
                        world, rank{0}, false);
  EXPECT_TRUE(host_options::from_environment(as_environment(entries)));
  EXPECT_THAT(entries, Not(Contains("MUSTER_RANK=9")));
}

TEST(ChildEnvironment, PassesTheRestThrough) {
  auto entries = child_environment({"PATH=/bin", "MUSTER_LEASE=3s"}, world, rank{0}, false);
  EXPECT_THAT(entries, AllOf(Contains("PATH=/bin"), Contains("MUSTER_LEASE=3s")));
}

struct folder {
  std::string path = testing::TempDir() + "program_test_" + random_job();
  folder() { std::filesystem::create_directory(path); }
  ~folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name, std::filesystem::perms allowed) const {
    std::ofstream(path + "/" + name) << "#!/bin/sh\n";
    std::filesystem::permissions(path + "/" + name, allowed);
    return path + "/" + name;
  }
};

constexpr auto executable = std::filesystem::perms::owner_all;
constexpr auto plain = std::filesystem::perms::owner_read;

TEST(Program, IsTheFirstExecutableInThePath) {
  folder first, second;
  first.file("train", plain);
  auto wanted = second.file("train", executable);
  EXPECT_EQ(find_program("train", first.path + ":" + second.path).path, wanted);
}

TEST(Program, WithASlashIsThatFile) {
  folder here;
  auto wanted = here.file("train", executable);
  EXPECT_EQ(find_program(wanted, "").path, wanted);
  EXPECT_EQ(find_program(here.path + "/other", "").exit_code, 127);
}

TEST(Program, ThatIsNoneIsSaidAsShellsSayIt) {
  folder here;
  auto refused = here.file("train", plain);
  EXPECT_EQ(find_program("train", here.path).exit_code, 126);
  EXPECT_EQ(find_program("train", here.path).why, "'" + refused + "' is not an executable file");
  EXPECT_EQ(find_program("nothing", here.path).exit_code, 127);
  EXPECT_EQ(find_program("", here.path).exit_code, 127);
  EXPECT_EQ(find_program(here.path, "").exit_code, 126) << "a folder";
}

TEST(RandomNames, FollowTheGrammarAndDiffer) {
  EXPECT_TRUE(parse_job(random_job()));
  EXPECT_THAT(random_job(), StartsWith("run-"));
  EXPECT_TRUE(parse_credential(random_credential()));
  EXPECT_NE(random_credential(), random_credential());
  EXPECT_NE(random_incarnation(), random_incarnation());
}

}  // namespace
}  // namespace muster
