#include <muster/messages/values/cluster/address.hpp>

#include <algorithm>
#include <optional>

#include <muster/messages/values/cluster/text_values.hpp>

namespace muster {
namespace {

constexpr std::string_view letters_and_digits =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

bool is_name_or_ipv4(std::string_view host) {
  return !host.empty() && host.size() <= 253 &&
         letters_and_digits.find(host.front()) != std::string_view::npos &&
         host.find_first_not_of(std::string(letters_and_digits) + ".-_") == std::string_view::npos;
}

/// Near enough to tell a slip of the keys; whether it exists is the network's to say. With a zone.
bool is_ipv6(std::string_view host) {
  auto zone = std::min(host.find('%'), host.size());
  return std::count(host.begin(), host.begin() + static_cast<std::ptrdiff_t>(zone), ':') >= 2 &&
         host.substr(0, zone).find_first_not_of("0123456789abcdefABCDEF:.") ==
             std::string_view::npos &&
         (zone == host.size() || is_name_or_ipv4(host.substr(zone + 1)));
}

struct host_and_port {
  std::string_view host;
  std::optional<std::string_view> port;
};

std::optional<host_and_port> split(std::string_view text, bool any_host) {
  host_and_port out;
  std::string_view rest;
  if (text.starts_with('[')) {
    auto end = text.find(']');
    if (end == std::string_view::npos) return {};
    out.host = text.substr(1, end - 1);
    rest = text.substr(end + 1);
    if (!is_ipv6(out.host)) return {};
  } else {
    auto end = std::min(text.find(':'), text.size());
    out.host = text.substr(0, end);
    rest = text.substr(end);
    if (!is_name_or_ipv4(out.host) && !(any_host && out.host == "*")) return {};
  }
  if (rest.empty()) return out;
  if (rest.front() != ':') return {};
  out.port = rest.substr(1);
  return out;
}

}  // namespace

std::string to_string(const address& a) {
  bool ipv6 = a.host.find(':') != std::string::npos;
  return (ipv6 ? "[" + a.host + "]" : a.host) + ":" + std::to_string(a.port);
}

std::string endpoint_of(const address& a) { return "tcp://" + to_string(a); }

result<address> parse_address(std::string_view text) {
  constexpr const char* wanted =
      "must be host:port with a port from 1 to 65535, and an IPv6 host in brackets";
  auto parts = split(text, false);
  if (!parts || !parts->port) return invalid_argument(wanted);
  auto port = parse_number(*parts->port, 1, 65'535);
  if (!port) return invalid_argument(wanted);
  return address{std::string(parts->host), static_cast<std::uint16_t>(*port)};
}

result<address> parse_address_with_optional_port(std::string_view text, bool any_host) {
  std::string wanted =
      std::string(
          "must be host or host:port with a port from 1 to 65535, and an IPv6 host in brackets") +
      (any_host ? "; the host may be *" : "");
  auto parts = split(text, any_host);
  if (!parts) return invalid_argument(wanted);
  if (!parts->port) return address{std::string(parts->host), 0};
  auto port = parse_number(*parts->port, 1, 65'535);
  if (!port) return invalid_argument(wanted);
  return address{std::string(parts->host), static_cast<std::uint16_t>(*port)};
}

result<std::vector<address>> parse_addresses(std::string_view text, std::size_t most) {
  std::vector<address> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    auto end = std::min(text.find(',', begin), text.size());
    auto one = parse_address(text.substr(begin, end - begin));
    if (!one)
      return invalid_argument("must be a list of addresses separated by commas, of which each " +
                              one.why().text);
    if (std::find(out.begin(), out.end(), *one) != out.end())
      return invalid_argument("must not name an address twice, and does so with " +
                              to_string(*one));
    out.push_back(std::move(*one));
    begin = end + 1;
  }
  if (out.size() > most)
    return invalid_argument("must name at most " + std::to_string(most) + " addresses");
  return out;
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" ||
         (host.starts_with("127.") && is_name_or_ipv4(host));
}

}  // namespace muster
