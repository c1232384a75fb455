#include <muster/runtime/launcher/live_line.hpp>

#include <utility>

namespace muster {
std::string live_line::print(std::string_view lines) { return erase() += lines; }

std::string live_line::show(std::string_view text) {
  if (text == text_) return {};
  text_ = text;
  return erase();
}

std::string live_line::draw(std::size_t columns) {
  if (drawn_ || text_.empty()) return {};
  drawn_ = true;
  return std::string(cut_to_columns(text_, columns));
}

std::string live_line::erase() { return std::exchange(drawn_, false) ? "\r\x1b[K" : ""; }

std::string_view cut_to_columns(std::string_view text, std::size_t columns) {
  if (text.find('\x1b') != std::string_view::npos) return text;
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool continues = (static_cast<unsigned char>(text[i]) & 0xc0u) == 0x80u;
    if (!continues && characters++ == columns) return text.substr(0, i);
  }
  return text;
}

}  // namespace muster
