// Reads the strict string forms of meshes, specs and layouts from left to right. What it refuses says where, what
// stands there, and what belongs there.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <muster/messages/values/status.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {

class text_cursor {
 public:
  /// `what` is what the whole text should be, with its form.
  text_cursor(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  /// Steps over `token` if it stands here.
  bool take(std::string_view token) {
    if (!rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  /// The same, where it must stand; `wanted` says what belongs here.
  status expect(std::string_view token, std::string_view wanted) {
    return take(token) ? status{} : wrong(wanted);
  }
  /// Up to one of `ends`, or to the end of the text; may be empty.
  std::string_view word(std::string_view ends) {
    const auto length = std::min(rest().find_first_of(ends), rest().size());
    const auto out = rest().substr(0, length);
    at_ += length;
    return out;
  }
  /// Decimal digits without leading zeros, at most `most`.
  result<std::uint64_t> number(std::uint64_t most) {
    const auto digits =
        rest().substr(0, std::min(rest().find_first_not_of("0123456789"), rest().size()));
    const bool plain = digits.size() == 1 || !digits.starts_with('0');
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (!plain || error != std::errc{} || value > most)
      return wrong("a whole number up to " + std::to_string(most));
    at_ += digits.size();
    return value;
  }
  /// invalid_argument: what stands here is not what is wanted.
  [[nodiscard]] status wrong(std::string_view wanted) const {
    return error(status_code::invalid_argument,
                 clipped(text_) + " is not " + std::string(what_) + ": at offset " +
                     std::to_string(at_) + " there is " + (at_end() ? "the end" : clipped(rest())) +
                     " in place of " + std::string(wanted));
  }
  /// In quotes, and not longer than a line.
  static std::string clipped(std::string_view text) {
    constexpr std::size_t shown_max = 60;
    return in_quotes(text.substr(0, shown_max)) + (text.size() > shown_max ? "..." : "");
  }

 private:
  std::string_view text_;
  std::string_view what_;
  std::size_t at_ = 0;
};

}  // namespace muster
