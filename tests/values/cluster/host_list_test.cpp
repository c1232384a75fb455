#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <muster/messages/values/cluster/host_list.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

using testing::HasSubstr;

using rejected = std::vector<std::pair<std::string, std::string>>;

void expect_rejected(const rejected& lists) {
  for (auto& [text, rule] : lists) {
    auto hosts = parse_hosts(text);
    ASSERT_FALSE(hosts) << text;
    EXPECT_EQ(hosts.why().code, status_code::invalid_argument);
    EXPECT_THAT(hosts.why().text, HasSubstr(rule)) << text;
  }
}

/// `first`0`last`, `first`1`last` and so on, separated by commas.
std::string counted(std::string first, int n, std::string last) {
  std::string out;
  for (int i = 0; i < n; ++i) out += (i == 0 ? "" : ",") + first + std::to_string(i) + last;
  return out;
}

TEST(HostList, ReadsHostsInRankOrder) {
  EXPECT_EQ(parse_hosts("a:1,10.0.0.7:65534,[fe80::1%eth0]:29500").value(),
            (std::vector<address>{{"a", 1}, {"10.0.0.7", 65534}, {"fe80::1%eth0", 29500}}));
}

TEST(HostList, NamesAnEmptyEntryByItsRank) {
  expect_rejected({{"", "the entry of rank 0 is empty"},
                   {",a:1", "the entry of rank 0 is empty"},
                   {"a:1,,b:1", "the entry of rank 1 is empty"},
                   {"a:1,b:1,", "the entry of rank 2 is empty"}});
}

TEST(HostList, ShowsABlank) {
  expect_rejected({{"a:1, b:1", "the entry of rank 1, ' b:1', has a blank"},
                   {"a:1 ,b:1", "the entry of rank 0, 'a:1 ', has a blank"},
                   {"a:1,b:\t1", "the entry of rank 1, 'b:\\t1', has a blank"},
                   {" ", "the entry of rank 0, ' ', has a blank"}});
}

TEST(HostList, RefusesWhatIsNoPort) {
  expect_rejected({{"a:1,b", "rank 1, 'b', must have a port from 1 to 65534, and has none"},
                   {"a:0", "rank 0, 'a:0', must have a port from 1 to 65534"},
                   {"a:", "rank 0, 'a:', must have a port from 1 to 65534"},
                   {"a:-1", "must have a port from 1 to 65534"},
                   {"a:+1", "must have a port from 1 to 65534"},
                   {"a:0x1", "must have a port from 1 to 65534"},
                   {"a:65536", "must have a port from 1 to 65534"},
                   {"a:4294967297", "must have a port from 1 to 65534"},
                   {"[::1]:99999", "must have a port from 1 to 65534"}});
}

TEST(HostList, KeepsThePortAfterForTheBulkLane) {
  expect_rejected(
      {{"a:65535", "'a:65535', must have a port below 65535, since the bulk lane has"}});
  EXPECT_TRUE(parse_hosts("a:65534"));
}

TEST(HostList, WantsIpv6InBrackets) {
  EXPECT_EQ(parse_hosts("[::1]:7").value(), (std::vector<address>{{"::1", 7}}));
  expect_rejected({{"::1:7", "'::1:7', must have its IPv6 host in brackets"},
                   {"fe80::1", "must have its IPv6 host in brackets"},
                   {"[::1:7", "'[::1:7', must be host:port"},
                   {"[a]:7", "must be host:port"}});
}

TEST(HostList, RefusesWhatIsNoHost) {
  expect_rejected({{":1", "must be host:port"},
                   {"tcp://a:1", "must be host:port"},
                   {"-a:1", "must be host:port"},
                   {"*:1", "must be host:port"},
                   {"0.0.0.0:1", "must be an address that others can dial"},
                   {"[::]:1", "must be an address that others can dial"}});
}

TEST(HostList, NamesBothRanksOfAnAddressThatComesTwice) {
  expect_rejected({{"a:1,b:1,a:1", "must name each address once, and has ranks 0 and 2 at a:1"},
                   {"[::1]:5,[::1]:5", "ranks 0 and 1 at [::1]:5"},
                   {"node-1:5,NODE-1:5", "ranks 0 and 1 at node-1:5"}});
}

TEST(HostList, LeavesEachHostOfAMachineTwoPorts) {
  EXPECT_TRUE(parse_hosts("a:5000,a:5002,a:4998,b:5001"));
  expect_rejected(
      {{"a:5000,a:5001", "has rank 0 at a:5000 and rank 1 at a:5001, which both take port 5001"},
       {"a:5000,b:1,a:4999",
        "has rank 2 at a:4999 and rank 0 at a:5000, which both take port 5000"}});
}

TEST(HostList, TakesNumberedHostsInTheOrderOfTheirNumbers) {
  for (auto last : {":29500", ".rack:8888"})
    EXPECT_EQ(parse_hosts(counted("node-", 16, last)).value().size(), 16u) << last;
  EXPECT_TRUE(parse_hosts("node-2:1,node-10:1,node-99999999999999999999999:1"));
  EXPECT_TRUE(parse_hosts("node-08:1,node-9:1,node-010:1"));
  EXPECT_TRUE(parse_hosts("node-1:5,node-1:3,node-2:5,node-2:3")) << "two hosts on each machine";
}

TEST(HostList, NamesTheFirstPairOfNumberedHostsOutOfOrder) {
  expect_rejected({{"node-1:1,node-10:1,node-2:1,node-3:1,node-0:1",
                    "must have hosts that differ only by a number in ascending order, and has rank "
                    "1 at node-10:1 before "
                    "rank 2 at node-2:1"},
                   {"n3.rack1:1,n2.rack1:1", "rank 0 at n3.rack1:1 before rank 1 at n2.rack1:1"},
                   {"Node2:1,node1:1", "rank 0 at Node2:1 before rank 1 at node1:1"},
                   {"n100000000000000000000:1,n2:1", "before rank 1 at n2:1"}});
}

TEST(HostList, TakesOtherNamesAsTheyCome) {
  for (auto text : {"b:1,a:1", "node-2:1,head:1,node-1:1", "rack2-node1:1,rack1-node2:1",
                    "10.0.0.9:1,10.0.0.2:1", "[fe80::9]:1,[fe80::2]:1", "a2:1,b1:1"})
    EXPECT_TRUE(parse_hosts(text)) << text;
}

TEST(HostList, TakesHostsOfOneMachineAsTheyCome) {
  std::string text;
  std::vector<address> hosts;
  for (std::uint16_t port = 32; port > 0; port = static_cast<std::uint16_t>(port - 2)) {
    text += (text.empty() ? "" : ",") + ("localhost:" + std::to_string(port));
    hosts.push_back({"localhost", port});
  }
  EXPECT_EQ(parse_hosts(text).value(), hosts);
}

TEST(HostList, EndsAtTheLargestWorld) {
  const int most = static_cast<int>(limits::world_size_max);
  EXPECT_EQ(parse_hosts(counted("n", most, ":1")).value().size(), limits::world_size_max);
  EXPECT_EQ(parse_hosts(counted("n", most + 1, ":1")).why().text, "must name at most 65536 hosts");
}

/// Lists of which about half are right: one entry in ten is malformed, and few are alike.
rc::Gen<std::string> list_like() {
  const auto host = rc::gen::elementOf(std::vector<std::string>{"a", "B-2", "[::1]", "b-10.c"});
  const auto port =
      rc::gen::map(rc::gen::inRange(1, 65'535), [](int n) { return std::to_string(n); });
  const auto right = rc::gen::map(rc::gen::pair(host, port),
                                  [](const auto& at) { return at.first + ":" + at.second; });
  const auto wrong = rc::gen::elementOf(std::vector<std::string>{"", " ", "a", ":", "[:1", "a:0"});
  const auto entries =
      rc::gen::scale(0.1, rc::gen::container<std::vector<std::string>>(
                              rc::gen::weightedOneOf<std::string>({{9, right}, {1, wrong}})));
  return rc::gen::map(entries, [](const std::vector<std::string>& chosen) {
    std::string out;
    for (std::size_t i = 0; i < chosen.size(); ++i) out += (i == 0 ? "" : ",") + chosen[i];
    return out;
  });
}

RC_GTEST_PROP(HostList, ReadsAgainWhatItHasRead, ()) {
  const auto hosts = parse_hosts(*list_like());
  if (!hosts) {
    RC_ASSERT(hosts.why().text.starts_with("must "));
    return;
  }
  std::string again;
  for (auto& h : *hosts) again += (again.empty() ? "" : ",") + to_string(h);
  RC_ASSERT(parse_hosts(again).value() == *hosts);
}

RC_GTEST_PROP(HostList, TakesNumberedHostsExactlyWhereTheirNumbersNeverFall,
              (std::vector<std::uint16_t> numbers, bool sorted)) {
  RC_PRE(!numbers.empty());
  if (sorted) std::sort(numbers.begin(), numbers.end());
  std::string text;
  for (std::size_t r = 0; r < numbers.size(); ++r)
    text += (r == 0 ? "n" : ",n") + std::to_string(numbers[r]) + ":" + std::to_string(2 * r + 1);
  RC_ASSERT(static_cast<bool>(parse_hosts(text)) == std::is_sorted(numbers.begin(), numbers.end()));
}

TEST(HostList, ShowsOnlyTheBeginningOfALongEntry) {
  auto text = parse_hosts(std::string(10'000, 'x')).why().text;
  EXPECT_THAT(text, HasSubstr("... (10000 bytes)"));
  EXPECT_LT(text.size(), 1'000u);
}

}  // namespace
}  // namespace muster
