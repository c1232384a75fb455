// One of our own output streams: a terminal, pipe or file that may be slow, stopped or gone. Never
// blocks; what waits is bounded by those who ask for room before they read more. One thread.
#pragma once

#include <string>
#include <string_view>

#include <muster/runtime/launcher/descriptor.hpp>
#include <muster/runtime/launcher/live_line.hpp>

namespace muster {

class console {
 public:
  /// Writes to what `stream` (1 or 2) is, without changing its flags: others share them.
  explicit console(int stream);

  [[nodiscard]] bool is_terminal() const { return terminal_; }
  /// Whether both are the same file, pipe or terminal.
  [[nodiscard]] bool same_as(const console& other) const;

  /// Less than limits::output_buffer_bytes_max waits: more may be read for it.
  [[nodiscard]] bool has_room() const;
  void print(std::string_view text);
  /// Replaces the line that changes in place. Only on terminals.
  void show_live(std::string_view text);

  [[nodiscard]] bool waiting() const { return written_ < buffer_.size(); }
  /// To be polled for writing while something waits.
  [[nodiscard]] int descriptor() const { return to_.get(); }
  /// Writes what can be written now.
  void flush();
  /// The errno that writing failed with, or 0. What is printed afterwards is dropped.
  [[nodiscard]] int failure() const { return failure_; }

 private:
  [[nodiscard]] std::size_t columns() const;

  enum class kind { file, own_description, shared_description, socket };
  muster::descriptor to_;
  kind kind_ = kind::file;
  bool terminal_ = false;
  unsigned long device_ = 0, inode_ = 0;
  live_line live_;
  std::string buffer_;
  std::size_t written_ = 0;
  int failure_ = 0;
};

}  // namespace muster
