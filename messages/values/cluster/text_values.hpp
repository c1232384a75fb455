// Strict readers of values that people type: in the environment and on the command line. Pure; any
// thread. An error's text is the rule alone ("must be ..."): the caller knows what the value was
// for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/messages/values/status.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

/// A whole number in decimal digits, least <= n <= most; no sign, no spaces.
result<std::uint32_t> parse_number(std::string_view text, std::uint32_t least, std::uint32_t most);

/// A whole number with its unit, `500ms`, `10s`, `5min` or `2h`: above zero, at most
/// limits::named_duration_max.
result<duration> parse_duration(std::string_view text);

/// 1 to limits::job_bytes_max letters, digits, '.', '_' and '-'.
result<std::string> parse_job(std::string_view text);

/// 1 to limits::credential_bytes_max printable ASCII characters without spaces.
result<std::string> parse_credential(std::string_view text);

/// `0` or `1`: a flag has one grammar wherever it stands.
result<bool> parse_flag(std::string_view text);

/// The beginning of a value that is too long to be shown whole, with its length; else the value.
std::string shortened(std::string_view text);

/// The candidates that a person who typed `name` may have meant: at most two edits away, nearest
/// first.
std::vector<std::string_view> near_matches(std::string_view name,
                                           std::span<const std::string_view> candidates);

}  // namespace muster
