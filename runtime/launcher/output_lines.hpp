// What a host prints, cut into lines with the host's name before each, so that the lines of several
// hosts never mix. Pure; one thread.
#pragma once

#include <string>
#include <string_view>

namespace muster {

class output_lines {
 public:
  /// A carriage return starts the line over, as on a terminal; where nobody watches (`live` false)
  /// it ends the line instead, so that nothing is lost. An empty prefix leaves bytes as they are,
  /// but still hands them on line by line.
  output_lines(std::string prefix, bool live);

  /// Appends to `out` the lines that `chunk` completes. A line beyond limits::output_line_bytes_max
  /// is handed on in pieces.
  void take(std::string_view chunk, std::string& out);

  /// The line so far, with its prefix; empty when there is none.
  [[nodiscard]] std::string unfinished() const;

  /// Appends the last line when it has no line end.
  void finish(std::string& out);

 private:
  void take_byte(char byte, std::string& out);
  void end_line(std::string& out);
  void append_text(std::string_view text, std::string& out);

  std::string prefix_;
  bool live_;
  bool returned_ = false;  // the last byte was a carriage return
  std::string line_;
};

}  // namespace muster
