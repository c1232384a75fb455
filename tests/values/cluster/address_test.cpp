#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <muster/messages/values/cluster/address.hpp>

namespace muster {
namespace {

TEST(Address, ReadsNamesAndIpv4AndBracketedIpv6) {
  EXPECT_EQ(parse_address("node-3.cluster:29500").value(), (address{"node-3.cluster", 29500}));
  EXPECT_EQ(parse_address("10.0.0.1:1").value(), (address{"10.0.0.1", 1}));
  EXPECT_EQ(parse_address("[fe80::1%eth0]:65535").value(), (address{"fe80::1%eth0", 65535}));
}

TEST(Address, PrintsWhatItReads) {
  for (auto* text : {"node-3:29500", "10.0.0.1:1", "[::1]:65535"})
    EXPECT_EQ(to_string(parse_address(text).value()), text);
  EXPECT_EQ(endpoint_of({"::1", 5}), "tcp://[::1]:5");
}

TEST(Address, RefusesEverythingElse) {
  for (auto* text : {"",
                     ":1",
                     "host",
                     "host:",
                     "host:0",
                     "host:65536",
                     "host:-1",
                     "host: 1",
                     "host:1 ",
                     " host:1",
                     "::1:5",
                     "[::1]",
                     "[::1:5",
                     "[host]:5",
                     "[]:5",
                     "tcp://host:5",
                     "ho st:5",
                     "host:1:2",
                     "*:5",
                     "-host:5",
                     "host:99999999999999999999"})
    EXPECT_FALSE(parse_address(text)) << "'" << text << "'";
}

TEST(AddressWithOptionalPort, TakesAnAbsentPortAsAny) {
  EXPECT_EQ(parse_address_with_optional_port("*", true).value(), (address{"*", 0}));
  EXPECT_EQ(parse_address_with_optional_port("[::]", true).value(), (address{"::", 0}));
  EXPECT_EQ(parse_address_with_optional_port("eth0:70", false).value(), (address{"eth0", 70}));
  EXPECT_FALSE(parse_address_with_optional_port("*", false));
  EXPECT_FALSE(parse_address_with_optional_port("host:0", true)) << "leave the port out instead";
}

TEST(Addresses, AreSeparatedByCommasAndAllDifferent) {
  EXPECT_EQ(parse_addresses("a:1,[::1]:2", 2).value(),
            (std::vector<address>{{"a", 1}, {"::1", 2}}));
  EXPECT_EQ(parse_addresses("a:1,a:1", 2).why().text,
            "must not name an address twice, and does so with a:1");
  for (auto* text : {"", ",", "a:1,", ",a:1", "a:1,,b:1", "a:1 ,b:1", "a:1;b:1"})
    EXPECT_FALSE(parse_addresses(text, 9)) << "'" << text << "'";
}

TEST(Addresses, HaveALimit) {
  EXPECT_TRUE(parse_addresses("a:1,b:1", 2));
  EXPECT_FALSE(parse_addresses("a:1,b:1,c:1", 2));
}

TEST(Loopback, IsThisMachineOnly) {
  for (auto* host : {"localhost", "127.0.0.1", "127.1.2.3", "::1"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (auto* host : {"10.0.0.1", "node", "::", "1127.0.0.1"})
    EXPECT_FALSE(is_loopback(host)) << host;
}

}  // namespace
}  // namespace muster
