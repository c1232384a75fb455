// The last line of a terminal that changes in place while others scroll by above it. Pure: it says
// which bytes to write. One thread.
#pragma once

#include <string>
#include <string_view>

namespace muster {

class live_line {
 public:
  /// The bytes that print complete lines above the live one, which is then drawn again by draw().
  std::string print(std::string_view lines);

  /// Replaces the live line, or ends it when `text` is empty; the bytes that take the old one away.
  std::string show(std::string_view text);

  /// The bytes that draw the live line where it isn't drawn, after all that was to be printed. It
  /// is cut at `columns`, since a line that wraps could not be taken away.
  std::string draw(std::size_t columns);

 private:
  std::string erase();

  std::string text_;
  bool drawn_ = false;
};

/// The first `columns` characters of UTF-8 text. Text with escape sequences is left as it is:
/// whoever writes them knows the terminal.
std::string_view cut_to_columns(std::string_view text, std::size_t columns);

}  // namespace muster
