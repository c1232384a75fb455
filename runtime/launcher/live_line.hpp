// The last line of a terminal that changes in place while others scroll by above it. Pure: it says
// which bytes to write. One thread.
#pragma once

#include <string>
#include <string_view>

namespace muster {

class live_line {
 public:
  /// The bytes that print complete lines above the live one.
  std::string print(std::string_view lines);

  /// The bytes that replace the live line; an empty one goes away. It is cut at `columns`, since a
  /// line that wraps could not be replaced.
  std::string show(std::string_view text, std::size_t columns);

 private:
  std::string shown_;
};

/// The first `columns` characters of UTF-8 text. Text with escape sequences is left as it is:
/// whoever writes them knows the terminal.
std::string_view cut_to_columns(std::string_view text, std::size_t columns);

}  // namespace muster
