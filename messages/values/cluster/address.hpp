// A network address as people write it: `host:port`, with an IPv6 host in brackets. A value; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <muster/messages/values/status.hpp>

namespace muster {

struct address {
  std::string host;        // a name, an IPv4 address, an IPv6 address without brackets, or "*"
  std::uint16_t port = 0;  // 0: any

  friend bool operator==(const address&, const address&) = default;
};

/// "10.0.0.1:29500", "[::1]:29500".
std::string to_string(const address&);
/// "tcp://10.0.0.1:29500", what a transport binds and dials.
std::string endpoint_of(const address&);

/// `host:port`, port 1 to 65535. An error's text is the rule alone.
result<address> parse_address(std::string_view text);

/// `host` or `host:port`, and `*` as a host when `any_host`; without a port it is 0.
result<address> parse_address_with_optional_port(std::string_view text, bool any_host);

/// One or more addresses separated by commas, all different, at most `most`.
result<std::vector<address>> parse_addresses(std::string_view text, std::size_t most);

/// Whether the host is this machine's own: 127.x.x.x, ::1 or localhost.
bool is_loopback(std::string_view host);

}  // namespace muster
