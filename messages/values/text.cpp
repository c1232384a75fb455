#include <array>
#include <cstdint>

#include <muster/messages/values/text.hpp>

namespace muster {

namespace {

void append_escaped(std::string& out, char c) {
  constexpr char digits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (c == '\n')
    out += "\\n";
  else if (c == '\t')
    out += "\\t";
  else if (byte < 0x20 || byte == 0x7f)
    (out += "\\x") += {digits[byte >> 4], digits[byte & 15]};
  else
    out += c;
}

struct unit {
  std::uint64_t nanoseconds;
  const char* name;
};

constexpr std::array units{
    unit{3'600'000'000'000, " h"}, unit{60'000'000'000, " min"}, unit{1'000'000'000, " s"},
    unit{1'000'000, " ms"},        unit{1'000, " us"},           unit{1, " ns"}};

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    append_escaped(out, c);
  }
  return out += '\'';
}

std::string one_line(std::string_view text) {
  std::string out;
  for (char c : text) append_escaped(out, c);
  return out;
}

std::string to_string(duration d) {
  if (d == duration::max()) return "forever";
  if (d == duration::zero()) return "0 s";
  const bool negative = d < duration::zero();
  const auto bits = static_cast<std::uint64_t>(d.count());
  const std::uint64_t n = negative ? 0 - bits : bits;
  const unit* u = units.data();
  while (u->nanoseconds > n) ++u;
  std::string out = (negative ? "-" : "") + std::to_string(n / u->nanoseconds);
  // Three decimals, cut and not rounded: a wait never looks longer than it was.
  std::uint64_t rest = n % u->nanoseconds;
  std::string decimals;
  for (int i = 0; i < 3 && rest != 0; ++i) {
    rest *= 10;
    decimals += static_cast<char>('0' + rest / u->nanoseconds);
    rest %= u->nanoseconds;
  }
  while (!decimals.empty() && decimals.back() == '0') decimals.pop_back();
  if (!decimals.empty()) (out += '.') += decimals;
  return out += u->name;
}

}  // namespace muster
