// How a host's process ended, and what that makes of the whole run. Pure; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

/// The end of a process.
struct ending {
  int code = 0;    // its exit code, when it was not ended by a signal
  int signal = 0;  // what ended it, or 0
  [[nodiscard]] bool failed() const { return code != 0 || signal != 0; }
  friend bool operator==(const ending&, const ending&) = default;
};

/// As shells say it: the exit code, or 128 + signal.
int shell_code(const ending&);
/// "exit code 3", "exit code 67 (deadline_exceeded)", "signal 9 (SIGKILL)".
std::string to_string(const ending&);
std::string signal_name(int signal);  // "SIGTERM"

/// The first cause of the run's end decides its exit code: a host's failure, or an order that ended
/// it. A signal from outside is no failure when every host ends well after it.
class run_outcome {
 public:
  explicit run_outcome(std::uint32_t hosts) : hosts_(hosts) {}

  void on_end(rank who, const ending& how);
  /// A signal was passed on to the hosts.
  void on_signal(int signal);
  /// We end the run ourselves, with this exit code.
  void on_order(int code, std::string why);
  /// The hosts that still run were told to end: that they do is no failure of theirs.
  void on_stop() { stopped_ = true; }
  /// SIGKILL went to all hosts that still ran: their deaths are no causes.
  void on_kill() { killed_ = true; }

  [[nodiscard]] std::uint32_t ended() const { return ended_; }
  [[nodiscard]] int exit_code() const;
  /// One line for the end of the run, without a line end.
  [[nodiscard]] std::string summary(duration elapsed) const;

 private:
  struct failure {
    rank who;
    ending how;
  };
  struct order {
    int code;
    std::string why;
  };
  std::uint32_t hosts_;
  std::uint32_t ended_ = 0;
  std::uint32_t failed_ = 0;  // by themselves
  int signal_ = 0;            // the first that was passed on
  bool stopped_ = false;
  bool killed_ = false;
  std::optional<std::variant<failure, order>> cause_;
};

}  // namespace muster
