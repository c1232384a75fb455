#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/runtime/host_options.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const environment four_hosts = {{"MUSTER_JOB", "train"},
                                {"MUSTER_RANK", "2"},
                                {"MUSTER_WORLD_SIZE", "4"},
                                {"MUSTER_ROOT", "node0:29500,[::1]:29600"}};

/// four_hosts with one variable set to something else, or left out.
environment with(std::string name, std::string value) {
  environment out = four_hosts;
  std::erase_if(out, [&](auto& v) { return v.first == name; });
  out.emplace_back(name, value);
  return out;
}
environment without(std::string name) {
  environment out = four_hosts;
  std::erase_if(out, [&](auto& v) { return v.first == name; });
  return out;
}

std::string problem(const environment& variables) {
  auto options = host_options::from_environment(variables);
  EXPECT_EQ(options.why().code, status_code::invalid_argument);
  return options.why().text;
}

TEST(Environment, WithoutVariablesIsAWorldOfOne) {
  EXPECT_EQ(host_options::from_environment({}).value(), host_options{});
  EXPECT_EQ(host_options{}.world_size, 1u);
}

TEST(Environment, DescribesAWorldWithARoot) {
  auto options = host_options::from_environment(four_hosts).value();
  EXPECT_EQ(options.job, "train");
  EXPECT_EQ(options.rank, rank{2});
  EXPECT_EQ(options.world_size, 4u);
  EXPECT_EQ(options.root, (std::vector<address>{{"node0", 29500}, {"::1", 29600}}));
  EXPECT_EQ(options.devices.count, 1u);
}

TEST(Environment, DescribesAWorldUnderALauncher) {
  auto variables = without("MUSTER_ROOT");
  variables.emplace_back("MUSTER_LAUNCHER", "127.0.0.1:4000,127.0.0.1:4001");
  auto options = host_options::from_environment(variables).value();
  EXPECT_EQ(options.launcher->control, (address{"127.0.0.1", 4000}));
  EXPECT_EQ(options.launcher->bulk, (address{"127.0.0.1", 4001}));
}

TEST(Environment, TunesAWorld) {
  auto variables = four_hosts;
  variables.insert(variables.end(), {{"MUSTER_BIND", "*"},
                                     {"MUSTER_ADVERTISE", "node2:7000"},
                                     {"MUSTER_CREDENTIAL", "s3cret"},
                                     {"MUSTER_JOIN_TIMEOUT", "500ms"},
                                     {"MUSTER_LEASE", "3s"},
                                     {"MUSTER_FAN_OUT", "2"},
                                     {"MUSTER_DEVICES", "cpu:2"},
                                     {"MUSTER_TERMINAL", "1"}});
  auto options = host_options::from_environment(variables).value();
  EXPECT_EQ(options.bind, (address{"*", 0}));
  EXPECT_EQ(options.advertise, (address{"node2", 7000}));
  EXPECT_EQ(options.credential, "s3cret");
  EXPECT_EQ(options.join_timeout, 500ms);
  EXPECT_EQ(options.lease, 3s);
  EXPECT_EQ(options.fan_out, 2u);
  EXPECT_EQ(options.devices, (device_request{device_request::kind::cpu, 2}));
  EXPECT_TRUE(options.terminal);
}

TEST(Environment, LetsAHostAloneChooseItsDevices) {
  auto options =
      host_options::from_environment({{"MUSTER_DEVICES", "8"}, {"MUSTER_TERMINAL", "0"}}).value();
  EXPECT_EQ(options.devices, (device_request{device_request::kind::any, 8}));
  EXPECT_EQ(options.world_size, 1u);
}

TEST(Environment, LeavesTheVariablesOfItsToolsAlone) {
  auto options =
      host_options::from_environment({{"MUSTER_SEED", "7"}, {"MUSTER_PACKAGES", "skip"}});
  EXPECT_EQ(options.value(), host_options{});
}

TEST(Environment, NeedsNoRootInAWorldOfOne) {
  EXPECT_TRUE(host_options::from_environment(
      {{"MUSTER_JOB", "j"}, {"MUSTER_RANK", "0"}, {"MUSTER_WORLD_SIZE", "1"}}));
}

TEST(EnvironmentErrors, NameWhatAPartialSetLacks) {
  for (auto* name : {"MUSTER_JOB", "MUSTER_RANK", "MUSTER_WORLD_SIZE"})
    EXPECT_THAT(problem(without(name)), HasSubstr(std::string(name) + " is not set but MUSTER_"));
  EXPECT_THAT(problem(without("MUSTER_ROOT")),
              HasSubstr("one of MUSTER_ROOT and MUSTER_LAUNCHER is not set but MUSTER_JOB is: a "
                        "world needs"));
}

TEST(EnvironmentErrors, SayOnceWhatAWorldNeedsHoweverMuchIsMissing) {
  EXPECT_EQ(problem({{"MUSTER_CREDENTIAL", "x"}}),
            "MUSTER_JOB, MUSTER_RANK and MUSTER_WORLD_SIZE are not set but MUSTER_CREDENTIAL is: a "
            "world needs MUSTER_JOB, MUSTER_RANK, MUSTER_WORLD_SIZE and one of MUSTER_ROOT and "
            "MUSTER_LAUNCHER");
  EXPECT_THAT(problem({{"MUSTER_RANK", "0"}, {"MUSTER_WORLD_SIZE", "2"}}),
              HasSubstr("MUSTER_JOB and one of MUSTER_ROOT and MUSTER_LAUNCHER are not set"));
}

TEST(EnvironmentErrors, NameVariableValueAndRule) {
  EXPECT_EQ(problem(with("MUSTER_RANK", "4")),
            "MUSTER_RANK is '4': it must be less than MUSTER_WORLD_SIZE, which is '4'");
  EXPECT_EQ(problem(with("MUSTER_RANK", "two")),
            "MUSTER_RANK is 'two': it must be a whole number from 0 to 65535");
  EXPECT_EQ(problem(with("MUSTER_WORLD_SIZE", "65537")),
            "MUSTER_WORLD_SIZE is '65537': it must be a whole number from 1 to 65536");
  EXPECT_EQ(problem(with("MUSTER_DEVICES", "0")),
            "MUSTER_DEVICES is '0': it must be a count, such as 2 or cpu:2, from 1 to 1024");
  EXPECT_EQ(problem(with("MUSTER_TERMINAL", "yes")), "MUSTER_TERMINAL is 'yes': it must be 0 or 1");
}

TEST(EnvironmentErrors, RefuseAWorldOfNone) {
  EXPECT_THAT(problem(with("MUSTER_WORLD_SIZE", "0")),
              HasSubstr("MUSTER_WORLD_SIZE is '0': it must be"));
}

TEST(EnvironmentErrors, RefuseMalformedValuesOfEveryVariable) {
  const environment wrong = {{"MUSTER_JOB", "my job"},       {"MUSTER_ROOT", "node0"},
                             {"MUSTER_BIND", "tcp://*"},     {"MUSTER_ADVERTISE", "*"},
                             {"MUSTER_JOIN_TIMEOUT", "10"},  {"MUSTER_LEASE", "0s"},
                             {"MUSTER_FAN_OUT", "1"},        {"MUSTER_DEVICES", "gpu:2"},
                             {"MUSTER_LAUNCHER", "node0:1"}, {"MUSTER_RANK", ""}};
  for (auto& [name, value] : wrong)
    EXPECT_THAT(problem(with(name, value)),
                HasSubstr(name + (value.empty() ? " is set but empty" : " is '" + value + "'")));
}

TEST(EnvironmentErrors, ListEverythingThatIsWrong) {
  auto text = problem({{"MUSTER_RANK", "x"}, {"MUSTER_WORLD_SIZE", "0"}});
  EXPECT_THAT(text, HasSubstr("MUSTER_RANK is 'x'"));
  EXPECT_THAT(text, HasSubstr("; MUSTER_WORLD_SIZE is '0'"));
  EXPECT_THAT(text, HasSubstr("; MUSTER_JOB is not set"));
}

TEST(EnvironmentErrors, GuessWhatAnUnknownNameMeant) {
  EXPECT_EQ(problem(with("MUSTER_WORLDSIZE", "4")),
            "MUSTER_WORLDSIZE is '4': Muster has no such variable, did you mean MUSTER_WORLD_SIZE");
  EXPECT_EQ(problem({{"MUSTER_COLOUR", "red"}}),
            "MUSTER_COLOUR is 'red': Muster has no such variable");
}

TEST(EnvironmentErrors, RefuseAVariableThatIsSetTwice) {
  auto variables = four_hosts;
  variables.emplace_back("MUSTER_RANK", "3");
  EXPECT_THAT(problem(variables), HasSubstr("MUSTER_RANK is set twice"));
}

TEST(EnvironmentErrors, RefuseRootAndLauncherTogether) {
  EXPECT_THAT(problem(with("MUSTER_LAUNCHER", "a:1,a:2")),
              HasSubstr("MUSTER_ROOT and MUSTER_LAUNCHER are both set"));
}

TEST(EnvironmentErrors, KeepAPortFreeForTheBulkLane) {
  EXPECT_THAT(problem(with("MUSTER_ROOT", "node0:65535")), HasSubstr("a port must be below 65535"));
}

TEST(EnvironmentErrors, NeverShowTheCredential) {
  auto text = problem(with("MUSTER_CREDENTIAL", "top secret"));
  EXPECT_THAT(text, Not(HasSubstr("secret'")));
  EXPECT_THAT(text, HasSubstr("MUSTER_CREDENTIAL is a secret of 10 bytes: it must be"));
}

TEST(Listening, IsOnThisMachineUnderALauncher) {
  host_options options{
      {.rank = rank{0}, .world_size = 2, .launcher = {{{"127.0.0.1", 1}, {"127.0.0.1", 2}}}}};
  EXPECT_EQ(listening_of(options).value(), (listening{{"127.0.0.1", 0}, {"127.0.0.1", 0}}));
}

TEST(Listening, OfTheRootIsOnThePortThatRootNames) {
  host_options options{{.rank = rank{0}, .world_size = 2, .root = {{"node0", 29500}}}};
  EXPECT_EQ(listening_of(options).value(), (listening{{"*", 29500}, {"node0", 29500}}));
  options.bind = address{"10.0.0.7", 5000};
  EXPECT_EQ(listening_of(options).value().bind, (address{"10.0.0.7", 5000}))
      << "behind a forwarded port";
}

TEST(Listening, OfAnotherHostFacesTheRoot) {
  host_options options{
      {.rank = rank{1}, .world_size = 2, .root = {{"127.0.0.1", 29500}}, .bind = address{"*", 0}}};
  EXPECT_EQ(listening_of(options).value(), (listening{{"*", 0}, {"127.0.0.1", 0}}));
  options.advertise = address{"node1", 7};
  EXPECT_EQ(listening_of(options).value().advertise, (address{"node1", 7}));
}

TEST(Listening, IsAtAHostsOwnEntry) {
  host_options options{{.rank = rank{1},
                        .world_size = 2,
                        .root = {{"node0", 29500}},
                        .hosts = {{"node0", 29500}, {"node1", 7000}}}};
  EXPECT_EQ(listening_of(options).value(), (listening{{"*", 7000}, {"node1", 7000}}));
  options.bind = address{"10.0.0.7", 0};
  EXPECT_EQ(listening_of(options).value(), (listening{{"10.0.0.7", 7000}, {"node1", 7000}}));
  options.bind = address{"10.0.0.7", 5000};
  EXPECT_EQ(listening_of(options).value(), (listening{{"10.0.0.7", 5000}, {"node1", 7000}}))
      << "behind a forwarded port";
}

TEST(Listening, IsOnThisMachineWhereAllHostsAre) {
  host_options options{{.rank = rank{1},
                        .world_size = 2,
                        .root = {{"127.0.0.1", 7000}},
                        .hosts = {{"127.0.0.1", 7000}, {"127.0.0.2", 7000}}}};
  EXPECT_EQ(listening_of(options).value(), (listening{{"127.0.0.2", 7000}, {"127.0.0.2", 7000}}));
  options.hosts[1] = {"localhost", 7002};
  EXPECT_EQ(listening_of(options).value(), (listening{{"127.0.0.1", 7002}, {"localhost", 7002}}));
  options.hosts[1] = {"node1", 7000};
  EXPECT_EQ(listening_of(options).value().bind, (address{"*", 7000}));
}

}  // namespace
}  // namespace muster
