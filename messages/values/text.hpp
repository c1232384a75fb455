// How values look inside a sentence: names in quotes, text on one line, durations in a unit one can read.
// Pure functions; any thread may call them.
#pragma once

#include <string>
#include <string_view>

#include <muster/messages/values/time.hpp>

namespace muster {

/// The text between single quotes. Control characters, quotes and backslashes are escaped, so that two
/// names look alike only when they are alike and a name never breaks a line. (Not `quoted`: std has one, and
/// argument-dependent lookup prefers it.)
std::string in_quotes(std::string_view);

/// The text with line breaks and other control characters escaped.
std::string one_line(std::string_view);

/// "250 ms", "1.5 s", "30 min": at most three decimals, of the largest unit that is not above the value.
/// "0 s", "-1.5 s", and "forever" for the largest duration.
std::string to_string(duration);

}  // namespace muster
