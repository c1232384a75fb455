// Every way in which the environment of a host can be wrong, tried with a real program: what it prints, and
// its exit code, stand in environment_errors.golden, which is for people to read as well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <memory>
#include <regex>
#include <sstream>

#include <muster/tests/seeds/golden.hpp>
#include <muster/tests/system/host_process.hpp>
#include <muster/tests/system/world_of_hosts.hpp>
#include <muster/tests/transport/later_root.hpp>

namespace muster::testing {
namespace {

/// What is set for one host; PORT is a free one, and so is the next. It starts once the first host of its
/// trial has printed `after`.
struct tried_host {
  std::string variables;
  std::string after = {};
};
struct trial {
  std::string what;
  std::vector<tried_host> hosts;
};

std::string replaced(std::string text, const std::string& pattern, const std::string& by) {
  return std::regex_replace(text, std::regex(pattern), by);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// Without what differs from run to run: ports, times that were measured, how often was dialled.
std::string without_chance(std::string text, int port) {
  text = replaced(text, ":" + std::to_string(port) + "\\b", ":PORT");
  text = replaced(text, ":" + std::to_string(port + 1) + "\\b", ":PORT+1");
  text = replaced(text, "tcp://127\\.0\\.0\\.1:[0-9]+", "tcp://127.0.0.1:ANY");
  text = replaced(text, "(after|arrived within) [0-9.]+ m?s\\b", "$1 TIME");
  return replaced(text, "[0-9]+ attempts?", "N attempts");
}

std::string indented(const std::string& text) {
  std::string out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out += "    " + line + "\n";
  return out;
}

/// One trial as it stands in the golden file.
std::string outcome_of(const trial& t) {
  const int port = free_port_pair();
  std::vector<std::unique_ptr<host_process>> hosts;
  for (auto& h : t.hosts) {
    auto variables = words_of(replaced(h.variables, "PORT", std::to_string(port)));
    if (!h.after.empty() && !hosts[0]->reads(h.after))
      ADD_FAILURE() << t.what << ": " << hosts[0]->text;
    hosts.push_back(std::make_unique<host_process>(HELLO_BARRIER_PROGRAM, std::move(variables)));
  }
  std::string out = "\n" + t.what + "\n";
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto code = hosts[i]->exit_code();
    out += "  " + t.hosts[i].variables + "\n" + indented(without_chance(hosts[i]->text, port)) +
           "    exit code " + std::to_string(code) + "\n";
  }
  return out;
}

const std::string j = "MUSTER_JOB=j ", zero = j + "MUSTER_RANK=0 ", one = j + "MUSTER_RANK=1 ",
                  two = "MUSTER_WORLD_SIZE=2 ", three = "MUSTER_WORLD_SIZE=3 ",
                  root = "MUSTER_ROOT=127.0.0.1:PORT",
                  hosts = "MUSTER_HOSTS=127.0.0.1:PORT,127.0.0.2:PORT",
                  soon = " MUSTER_JOIN_TIMEOUT=3s";

/// Nothing can change for the better: they end at once.
const std::vector<trial> decided_alone = {
    {"only the job is set", {{"MUSTER_JOB=j"}}},
    {"the job is missing", {{"MUSTER_RANK=0 " + two + root}}},
    {"the rank is missing", {{j + two + root}}},
    {"the world size is missing", {{zero + root}}},
    {"the root is missing", {{zero + "MUSTER_WORLD_SIZE=2"}}},
    {"set but empty", {{zero + two + root + " MUSTER_BIND="}}},
    {"a name that Muster does not know", {{"MUSTER_DEVICE=2"}}},
    {"a job with a character that it can't have", {{"MUSTER_JOB=a/b MUSTER_RANK=0 " + two + root}}},
    {"a rank that is no number", {{j + "MUSTER_RANK=first " + two + root}}},
    {"a rank with a sign", {{j + "MUSTER_RANK=-1 " + two + root}}},
    {"a rank that is not below the world size", {{j + "MUSTER_RANK=2 " + two + root}}},
    {"a world of 0", {{zero + "MUSTER_WORLD_SIZE=0 " + root}}},
    {"a world that is too large", {{zero + "MUSTER_WORLD_SIZE=65537 " + root}}},
    {"a world size that is no number", {{zero + "MUSTER_WORLD_SIZE=2x " + root}}},
    {"a root without a port", {{zero + two + "MUSTER_ROOT=127.0.0.1"}}},
    {"a root with a port out of range", {{zero + two + "MUSTER_ROOT=127.0.0.1:65536"}}},
    {"a root that leaves no port for the bulk lane",
     {{zero + two + "MUSTER_ROOT=127.0.0.1:65535"}}},
    {"a root that is named twice", {{zero + two + root + ",127.0.0.1:PORT"}}},
    {"a root and a launcher", {{zero + two + root + " MUSTER_LAUNCHER=127.0.0.1:1,127.0.0.1:2"}}},
    {"a launcher with one address", {{zero + two + "MUSTER_LAUNCHER=127.0.0.1:1"}}},
    {"a list of hosts and a world size", {{zero + two + hosts}}},
    {"a list of hosts and a root", {{zero + hosts + " " + root}}},
    {"a list of hosts and a launcher",
     {{zero + hosts + " MUSTER_LAUNCHER=127.0.0.1:1,127.0.0.1:2"}}},
    {"a list of hosts and an address to be dialled at",
     {{zero + hosts + " MUSTER_ADVERTISE=127.0.0.1"}}},
    {"only a list of hosts", {{hosts}}},
    {"a rank that is not below the number of hosts", {{j + "MUSTER_RANK=2 " + hosts}}},
    {"a list of hosts with an empty entry", {{zero + "MUSTER_HOSTS=a:1,,b:1"}}},
    {"a list of hosts with an entry without a port", {{zero + "MUSTER_HOSTS=a:1,b"}}},
    {"a list of hosts with a port out of range", {{zero + "MUSTER_HOSTS=a:1,b:65536"}}},
    {"a list of hosts that leaves no port for the bulk lane", {{zero + "MUSTER_HOSTS=a:65535"}}},
    {"a list of hosts with IPv6 out of brackets", {{zero + "MUSTER_HOSTS=::1:7"}}},
    {"a host that is listed twice", {{zero + "MUSTER_HOSTS=a:1,b:1,a:1"}}},
    {"hosts of one machine that share a port", {{zero + "MUSTER_HOSTS=a:5000,a:5001"}}},
    {"numbered hosts out of order", {{zero + "MUSTER_HOSTS=node-1:1,node-10:1,node-2:1"}}},
    {"a device count of 0", {{"MUSTER_DEVICES=0"}}},
    {"devices of a kind that there is not", {{"MUSTER_DEVICES=tpu:2"}}},
    {"a time without its unit", {{zero + two + root + " MUSTER_JOIN_TIMEOUT=5"}}},
    {"a lease of 0", {{zero + two + root + " MUSTER_LEASE=0s"}}},
    {"a fan-out of 1", {{zero + two + root + " MUSTER_FAN_OUT=1"}}},
    {"a flag that is neither 0 nor 1", {{"MUSTER_TERMINAL=yes"}}},
    {"a place to listen that is no address", {{zero + two + root + " MUSTER_BIND=:1"}}},
    {"an address of another host to listen at", {{zero + two + root + " MUSTER_BIND=203.0.113.1"}}},
    {"an address to be dialled at that is every interface",
     {{zero + two + root + " MUSTER_ADVERTISE=*"}}},
    {"a secret that is too long is not shown",
     {{zero + two + root + " MUSTER_CREDENTIAL=" + std::string(257, 's')}}},
    {"several things at once", {{"MUSTER_RANK=x MUSTER_WORLD_SIZE=0 MUSTER_DEVICES=none"}}},
};

/// Others may still come: first the reason is said, and the error comes at the join time-out.
const std::vector<trial> decided_by_others = {
    {"nobody is at the root's address", {{one + two + root + soon}}},
    {"nobody is at the first of the listed hosts", {{one + hosts + soon}}},
    {"the port of a host's own entry is taken, here by another of its rank",
     {{zero + hosts + soon}, {zero + hosts + soon, "1 of 2 have arrived"}}},
    {"a host is missing", {{zero + three + root + soon}, {one + three + root + soon}}},
    {"the root's port is taken, here by another rank 0",
     {{zero + two + root + soon}, {zero + two + root + soon, "1 of 2 have arrived"}}},
    {"another process has this rank",
     {{zero + three + root + soon},
      {one + three + root + soon},
      {one + three + root + soon, "2 of 3 have arrived"}}},
    {"the root is of another job",
     {{zero + two + root + soon},
      {"MUSTER_JOB=other MUSTER_RANK=1 " + two + root + soon, "1 of 2 have arrived"}}},
    {"the root has another secret",
     {{zero + two + root + soon + " MUSTER_CREDENTIAL=plumless"},
      {one + two + root + soon + " MUSTER_CREDENTIAL=buckeroo", "1 of 2 have arrived"}}},
    {"the hosts disagree about the size of the world",
     {{zero + three + root + soon}, {one + two + root + soon, "1 of 3 have arrived"}}},
};

std::string all_outcomes() {
  std::string out =
      "What examples/hello_barrier prints where its environment is wrong, and its exit code. "
      "Written by\n"
      "environment_errors_test; README.md has the table of exit codes. PORT is any free port.\n";
  for (auto& t : decided_alone) out += outcome_of(t);
  std::vector<std::future<std::string>> running;
  for (auto& t : decided_by_others)
    running.push_back(std::async(std::launch::async, [&t] { return outcome_of(t); }));
  for (auto& r : running) out += r.get();
  return out;
}

TEST(EnvironmentErrors, AreThoseOfTheGoldenFile) {
  const auto seen = all_outcomes();
  expect_golden(seen, GOLDEN_FILE, "build/tests/system/environment_errors_test");
}

TEST(EnvironmentErrors, NameBothProtocolVersionsWhenTheRootSpeaksAnother) {
  const int port = free_port_pair();
  later_root other(port);
  host_process host(HELLO_BARRIER_PROGRAM,
                    words_of(replaced(one + two + root, "PORT", std::to_string(port))));
  ASSERT_TRUE(other.answer_once());
  EXPECT_EQ(host.exit_code(), exit_code(status_code::refused));
  EXPECT_THAT(host.text, ::testing::HasSubstr("protocol version 2 was answered, 1 was offered"));
}

}  // namespace
}  // namespace muster::testing
