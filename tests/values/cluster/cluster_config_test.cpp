#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/cluster/cluster_config.hpp>

namespace muster {
namespace {

using testing::HasSubstr;

const environment three_hosts = {
    {"MUSTER_JOB", "train"}, {"MUSTER_RANK", "1"}, {"MUSTER_HOSTS", "a:5000,b:5000,b:5002"}};

environment with(std::string name, std::string value) {
  environment out = three_hosts;
  std::erase_if(out, [&](auto& v) { return v.first == name; });
  out.emplace_back(std::move(name), std::move(value));
  return out;
}
environment without(const std::string& name) {
  environment out = three_hosts;
  std::erase_if(out, [&](auto& v) { return v.first == name; });
  return out;
}

std::string problem(const environment& variables) {
  auto config = cluster_config::from_environment(variables);
  EXPECT_EQ(config.why().code, status_code::invalid_argument);
  return config.why().text;
}

TEST(ClusterConfig, IsAWorldOfOneWhereNothingIsSet) {
  auto config = cluster_config::from_environment({}).value();
  EXPECT_EQ(config.rank, rank{0});
  EXPECT_EQ(config.world_size, 1u);
  EXPECT_EQ(config.job, "alone");
  EXPECT_TRUE(config.hosts.empty());
}

TEST(ClusterConfig, TakesWorldSizeAndRootFromTheListOfHosts) {
  auto config = cluster_config::from_environment(three_hosts).value();
  EXPECT_EQ(config.world_size, 3u);
  EXPECT_EQ(config.rank, rank{1});
  EXPECT_EQ(config.root, (std::vector<address>{{"a", 5000}}));
  EXPECT_EQ(config.hosts, (std::vector<address>{{"a", 5000}, {"b", 5000}, {"b", 5002}}));
}

TEST(ClusterConfig, TakesAListOfOneHost) {
  auto config = cluster_config::from_environment(
                    {{"MUSTER_JOB", "j"}, {"MUSTER_RANK", "0"}, {"MUSTER_HOSTS", "a:1"}})
                    .value();
  EXPECT_EQ(config.world_size, 1u);
  EXPECT_EQ(config.job, "j") << "a name doesn't depend on how many hosts there are";
}

TEST(ClusterConfig, HasOneSourceOfTheWorldsSize) {
  for (auto [name, value] : {std::pair{"MUSTER_WORLD_SIZE", "3"},
                             {"MUSTER_ROOT", "a:5000"},
                             {"MUSTER_LAUNCHER", "a:1,a:2"},
                             {"MUSTER_ADVERTISE", "b:5000"}})
    EXPECT_EQ(
        problem(with(name, value)),
        std::string("MUSTER_HOSTS and ") + name +
            " are both set: MUSTER_HOSTS alone says how many hosts there are and where each is");
}

TEST(ClusterConfig, RefusesARankThatIsNoNumberOrNotBelowTheWorldSize) {
  for (auto value : {"one", "-1", "+1", "1.0", " 1", "1x", "0x1", "99999999999999999999"})
    EXPECT_THAT(
        problem(with("MUSTER_RANK", value)),
        HasSubstr("MUSTER_RANK is '" + std::string(value) + "': it must be a whole number"));
  EXPECT_EQ(problem(with("MUSTER_RANK", "3")),
            "MUSTER_RANK is '3': it must be less than the 3 hosts of MUSTER_HOSTS");
  EXPECT_THAT(problem(without("MUSTER_RANK")), HasSubstr("MUSTER_RANK is not set"));
}

TEST(ClusterConfig, RefusesAWorldSizeThatIsNoNumber) {
  environment variables = without("MUSTER_HOSTS");
  variables.insert(variables.end(), {{"MUSTER_WORLD_SIZE", "three"}, {"MUSTER_ROOT", "a:5000"}});
  EXPECT_EQ(problem(variables),
            "MUSTER_WORLD_SIZE is 'three': it must be a whole number from 1 to 65536");
}

TEST(ClusterConfig, NamesWhatAListOfHostsLacks) {
  EXPECT_EQ(problem({{"MUSTER_HOSTS", "a:1"}}),
            "MUSTER_JOB and MUSTER_RANK are not set but MUSTER_HOSTS is: a world with MUSTER_HOSTS "
            "needs MUSTER_JOB and MUSTER_RANK");
}

TEST(ClusterConfig, ShowsTheListOfHostsWithItsFlaw) {
  EXPECT_EQ(problem(with("MUSTER_HOSTS", "a:5000,b")),
            "MUSTER_HOSTS is 'a:5000,b': it must be host:port of every host in rank order, "
            "separated by commas, and the entry of rank 1, 'b', must have a port from 1 to 65534, "
            "and has none");
  EXPECT_EQ(problem(with("MUSTER_HOSTS", "")),
            "MUSTER_HOSTS is set but empty: leave it out, or give it a value");
}

TEST(ClusterConfig, ShowsOnlyTheBeginningOfALongList) {
  auto text = problem(with("MUSTER_HOSTS", std::string(100'000, 'x')));
  EXPECT_LT(text.size(), 2'000u);
  EXPECT_THAT(text, HasSubstr("... (100000 bytes)"));
}

TEST(ClusterConfig, HasOneGrammarForFlags) {
  auto flag = [](std::string value) {
    return cluster_config::from_environment({{"MUSTER_TERMINAL", std::move(value)}});
  };
  EXPECT_FALSE(flag("0").value().terminal);
  EXPECT_TRUE(flag("1").value().terminal);
  for (auto value : {"true", "false", "True", "yes", "on", "off", "2", "00", "01", " 1"})
    EXPECT_EQ(flag(value).why().text,
              "MUSTER_TERMINAL is '" + std::string(value) + "': it must be 0 or 1");
  EXPECT_THAT(flag("").why().text, HasSubstr("MUSTER_TERMINAL is set but empty"));
}

TEST(ClusterConfig, RefusesAVariableThatNobodyReads) {
  for (auto name : {"MUSTER_CLIENT_ID", "MUSTER_ENABLE_HEARTBEAT", "MUSTER_HOST"})
    EXPECT_THAT(problem(with(name, "1")),
                HasSubstr(std::string(name) + " is '1': Muster has no such variable"));
  EXPECT_THAT(problem(with("MUSTER_HOST", "1")), HasSubstr("did you mean MUSTER_HOSTS"));
}

}  // namespace
}  // namespace muster
