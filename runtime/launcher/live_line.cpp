#include <muster/runtime/launcher/live_line.hpp>

namespace muster {
namespace {

constexpr std::string_view erase = "\r\x1b[K";

}  // namespace

std::string live_line::print(std::string_view lines) {
  if (shown_.empty()) return std::string(lines);
  return std::string(erase) + std::string(lines) + shown_;
}

std::string live_line::show(std::string_view text, std::size_t columns) {
  text = cut_to_columns(text, columns);
  if (text == shown_) return {};
  std::string out = shown_.empty() ? std::string{} : std::string(erase);
  shown_ = text;
  return out + shown_;
}

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
