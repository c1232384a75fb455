#include <muster/runtime/launcher/output_lines.hpp>

#include <algorithm>
#include <utility>

#include <muster/messages/values/limits.hpp>

namespace muster {

output_lines::output_lines(std::string prefix, bool live)
    : prefix_(std::move(prefix)), live_(live) {}

void output_lines::take(std::string_view chunk, std::string& out) {
  while (!chunk.empty()) {
    const auto text = std::min(chunk.find_first_of("\r\n"), chunk.size());
    append_text(chunk.substr(0, text), out);
    chunk.remove_prefix(text);
    if (chunk.empty()) return;
    take_byte(chunk.front(), out);
    chunk.remove_prefix(1);
  }
}

void output_lines::append_text(std::string_view text, std::string& out) {
  if (text.empty()) return;
  if (std::exchange(returned_, false)) {
    if (live_)
      line_.clear();
    else
      end_line(out);
  }
  while (line_.size() + text.size() > limits::output_line_bytes_max) {
    const auto fits = limits::output_line_bytes_max - line_.size();
    line_.append(text.substr(0, fits));
    text.remove_prefix(fits);
    out += prefix_ + line_;
    if (!prefix_.empty()) out += '\n';
    line_.clear();
  }
  line_.append(text);
}

void output_lines::take_byte(char byte, std::string& out) {
  if (byte == '\n') return end_line(out);
  // Several returns in a row, or one at the start of a line, end nothing.
  returned_ = !line_.empty();
}

void output_lines::end_line(std::string& out) {
  out += prefix_ + line_ + '\n';
  line_.clear();
  returned_ = false;
}

std::string output_lines::unfinished() const {
  return line_.empty() ? std::string{} : prefix_ + line_;
}

void output_lines::finish(std::string& out) {
  if (line_.empty()) return;
  out += prefix_ + line_;
  if (!prefix_.empty()) out += '\n';
  line_.clear();
  returned_ = false;
}

}  // namespace muster
