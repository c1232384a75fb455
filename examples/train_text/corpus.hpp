// A text for training: its characters as small codes, and where the held-out part begins. An immutable
// value after `read`; any thread may read it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/messages/values/status.hpp>

namespace train_text {

/// The shortest text that can be split and still says something, and the longest that every host may
/// hold in memory.
inline constexpr std::size_t text_bytes_min = 2'000;
inline constexpr std::size_t text_bytes_max = 64u << 20;
/// Held-out characters that a loss is computed over; of a longer held-out part, the first ones.
inline constexpr std::size_t held_out_evaluated_max = 16'384;

/// A character is a byte. Codes are the ranks of the bytes that occur, in byte order.
class corpus {
 public:
  /// The file's text; invalid_argument with the file's name when it cannot be read, is empty, shorter
  /// than text_bytes_min, longer than text_bytes_max, or holds a zero byte (then it is no text).
  static muster::result<corpus> read(const std::string& path);
  /// The same from memory; `name` stands for the file in errors.
  static muster::result<corpus> of(std::string_view text, const std::string& name);

  [[nodiscard]] std::span<const std::uint8_t> codes() const { return codes_; }
  [[nodiscard]] std::uint32_t vocabulary() const {
    return static_cast<std::uint32_t>(characters_.size());
  }
  /// The characters in the order of their codes.
  [[nodiscard]] const std::string& characters() const { return characters_; }
  [[nodiscard]] char character(std::uint32_t code) const { return characters_[code]; }

  /// Codes [0, held_out_first) are for training; the last tenth is not.
  [[nodiscard]] std::size_t held_out_first() const { return codes_.size() - codes_.size() / 10; }
  /// The held-out positions to evaluate: [held_out_first, held_out_last).
  [[nodiscard]] std::size_t held_out_last() const;

  /// The position whose character sample `sample` of step `step` predicts: uniform over the training
  /// part, with `context` characters of it before. A function of its arguments, never of a rank.
  [[nodiscard]] std::size_t position(std::uint64_t seed, std::uint64_t step, std::uint32_t sample,
                                     std::uint32_t context) const;

 private:
  std::vector<std::uint8_t> codes_;
  std::string characters_;
};

}  // namespace train_text
