#include <muster/messages/values/cluster/text_values.hpp>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

/// Digits only: from_chars would also take a minus sign.
bool read_digits(std::string_view text, std::uint64_t& out) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  return std::from_chars(text.data(), text.data() + text.size(), out).ec == std::errc{};
}

bool is_job_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

/// Levenshtein's distance, row by row.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

result<std::uint32_t> parse_number(std::string_view text, std::uint32_t least, std::uint32_t most) {
  std::uint64_t n = 0;
  if (!read_digits(text, n) || n < least || n > most)
    return invalid_argument("must be a whole number from " + std::to_string(least) + " to " +
                            std::to_string(most));
  return static_cast<std::uint32_t>(n);
}

result<duration> parse_duration(std::string_view text) {
  using namespace std::chrono_literals;
  constexpr std::pair<std::string_view, duration> units[] = {
      {"ms", 1ms}, {"s", 1s}, {"min", 1min}, {"h", 1h}};
  auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::uint64_t n = 0;
  for (auto [unit, length] : units) {
    if (text.substr(digits) != unit || !read_digits(text.substr(0, digits), n) || n == 0) continue;
    if (n <= static_cast<std::uint64_t>(limits::named_duration_max / length))
      return length * static_cast<duration::rep>(n);
  }
  return invalid_argument(
      "must be a whole number above 0 with its unit, such as 500ms, 10s, 5min or 2h, and at most "
      "720h");
}

result<std::string> parse_job(std::string_view text) {
  if (text.empty() || text.size() > limits::job_bytes_max ||
      !std::all_of(text.begin(), text.end(), is_job_character))
    return invalid_argument("must be 1 to " + std::to_string(limits::job_bytes_max) +
                            " letters, digits, '.', '_' or '-'");
  return std::string(text);
}

result<std::string> parse_credential(std::string_view text) {
  auto printable = [](char c) { return c > ' ' && c <= '~'; };
  if (text.empty() || text.size() > limits::credential_bytes_max ||
      !std::all_of(text.begin(), text.end(), printable))
    return invalid_argument("must be 1 to " + std::to_string(limits::credential_bytes_max) +
                            " printable ASCII characters without spaces");
  return std::string(text);
}

result<bool> parse_flag(std::string_view text) {
  if (text == "0" || text == "1") return text == "1";
  return invalid_argument("must be 0 or 1");
}

std::string shortened(std::string_view text) {
  constexpr std::size_t most = 512;
  if (text.size() <= most) return std::string(text);
  return std::string(text.substr(0, most)) + "... (" + std::to_string(text.size()) + " bytes)";
}

std::vector<std::string_view> near_matches(std::string_view name,
                                           std::span<const std::string_view> candidates) {
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (auto candidate : candidates)
    if (auto edits = edits_between(name, candidate); edits <= 2)
      near.emplace_back(edits, candidate);
  std::stable_sort(near.begin(), near.end(), [](auto& a, auto& b) { return a.first < b.first; });
  std::vector<std::string_view> out;
  for (auto& [edits, candidate] : near) out.push_back(candidate);
  return out;
}

}  // namespace muster
