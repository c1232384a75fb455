#include <muster/messages/values/cluster/host_list.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <muster/messages/values/cluster/text_values.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {
namespace {

constexpr std::string_view digits = "0123456789";

std::string at_rank(std::size_t r, const address& a) {
  return "rank " + std::to_string(r) + " at " + to_string(a);
}

/// Why `item` is no host:port.
std::string malformed(std::string_view item) {
  const bool bare_ipv6 =
      std::count(item.begin(), item.end(), ':') >= 2 &&
      item.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
  if (bare_ipv6) return "must have its IPv6 host in brackets, as in [::1]:29500";
  const auto colon = item.rfind(':');
  if (colon != std::string_view::npos &&
      parse_address_with_optional_port(item.substr(0, colon), false))
    return "must have a port from 1 to 65534";
  return "must be host:port";
}

/// What is wrong with one entry, or the entry.
result<address> parse_entry(std::string_view item) {
  if (item.empty()) return invalid_argument("is empty");
  if (item.find_first_of(" \t\r\n\v\f") != std::string_view::npos)
    return invalid_argument("has a blank");
  auto at = parse_address_with_optional_port(item, false);
  if (!at) return invalid_argument(malformed(item));
  if (at->port == 0) return invalid_argument("must have a port from 1 to 65534, and has none");
  if (at->port == 65'535)
    return invalid_argument("must have a port below 65535, since the bulk lane has the next one");
  if (at->host == "0.0.0.0" || at->host == "::")
    return invalid_argument("must be an address that others can dial, not every interface");
  return at;
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// What hosts are compared by: the network's names don't mind the case.
std::vector<std::string> names_of(const std::vector<address>& hosts) {
  std::vector<std::string> out;
  for (auto& h : hosts) out.push_back(lower(h.host));
  return out;
}

status check_ports(const std::vector<address>& hosts, const std::vector<std::string>& names) {
  std::vector<std::size_t> by_place(hosts.size());
  std::iota(by_place.begin(), by_place.end(), std::size_t{0});
  std::stable_sort(by_place.begin(), by_place.end(), [&](auto a, auto b) {
    return std::tie(names[a], hosts[a].port) < std::tie(names[b], hosts[b].port);
  });
  for (std::size_t i = 1; i < by_place.size(); ++i) {
    const auto first = by_place[i - 1], second = by_place[i];
    const auto &a = hosts[first], &b = hosts[second];
    if (names[first] != names[second] || b.port - a.port > 1) continue;
    if (a.port == b.port)
      return invalid_argument("must name each address once, and has ranks " +
                              std::to_string(first) + " and " + std::to_string(second) + " at " +
                              to_string(a));
    return invalid_argument("must leave each host its port and the next, and has " +
                            at_rank(first, a) + " and " + at_rank(second, b) +
                            ", which both take port " + std::to_string(b.port));
  }
  return {};
}

bool is_numeric_address(std::string_view host) {
  return host.find(':') != std::string_view::npos ||
         host.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// "rack1-node02" as "rack", "1", "-node", "02": texts and numbers in turn.
std::vector<std::string_view> runs_of(std::string_view name) {
  std::vector<std::string_view> out;
  for (bool number = false; !name.empty(); number = !number) {
    auto end = number ? name.find_first_not_of(digits) : name.find_first_of(digits);
    out.push_back(name.substr(0, end));
    name.remove_prefix(std::min(end, name.size()));
  }
  return out;
}

/// Of any length, by value.
bool is_less(std::string_view a, std::string_view b) {
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

/// Which run of the names is the one number by which they differ, if that is all.
std::optional<std::size_t> counting_run(const std::vector<std::vector<std::string_view>>& names) {
  std::optional<std::size_t> out;
  for (auto& name : names) {
    if (name.size() != names.front().size()) return {};
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (name[i] == names.front()[i]) continue;
      const bool number = i % 2 == 1;
      if (!number || out.value_or(i) != i) return {};
      out = i;
    }
  }
  return out;
}

status check_order(const std::vector<address>& hosts, const std::vector<std::string>& names) {
  std::vector<std::vector<std::string_view>> runs;
  for (auto& name : names) {
    if (is_numeric_address(name)) return {};
    runs.push_back(runs_of(name));
  }
  const auto run = counting_run(runs);
  if (!run) return {};
  for (std::size_t r = 1; r < runs.size(); ++r)
    if (is_less(runs[r][*run], runs[r - 1][*run]))
      return invalid_argument(
          "must have hosts that differ only by a number in ascending order, and has " +
          at_rank(r - 1, hosts[r - 1]) + " before " + at_rank(r, hosts[r]));
  return {};
}

}  // namespace

result<std::vector<address>> parse_hosts(std::string_view text) {
  std::vector<address> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    if (out.size() == limits::world_size_max)
      return invalid_argument("must name at most " + std::to_string(limits::world_size_max) +
                              " hosts");
    auto end = std::min(text.find(',', begin), text.size());
    auto item = text.substr(begin, end - begin);
    auto one = parse_entry(item);
    if (!one)
      return invalid_argument(
          "must be host:port of every host in rank order, separated by commas, and the entry of "
          "rank " +
          std::to_string(out.size()) +
          (item.empty() ? " " : ", " + in_quotes(shortened(item)) + ", ") + one.why().text);
    out.push_back(std::move(*one));
    begin = end + 1;
  }
  const auto names = names_of(out);
  if (status why = check_ports(out, names); !why.ok()) return why;
  if (status why = check_order(out, names); !why.ok()) return why;
  return out;
}

}  // namespace muster
