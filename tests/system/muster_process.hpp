// A `muster` command that really runs, with its output in pipes, for tests. Every wait has a bound; what
// is left of it is killed at the end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster {

/// How it ended and what it printed.
struct finished_process {
  int exit_code = -1;  // 128 + signal when one ended it; -1 when it didn't end in time
  std::string output;
  std::string errors;
};

/// What its standard output and errors are: two pipes, or one terminal.
enum class on { pipes, terminal };

class muster_process {
 public:
  explicit muster_process(std::vector<std::string> arguments, on what = on::pipes);
  muster_process(const muster_process&) = delete;
  muster_process& operator=(const muster_process&) = delete;
  ~muster_process();

  void send(int signal) const;
  /// Reads until the output so far holds `text`; false when it ends without, or takes too long.
  bool prints(const std::string& text);
  /// Reads to the end.
  finished_process finish();
  /// What stood after `name=` in the output so far, up to the end of the line; empty when it isn't there.
  [[nodiscard]] std::string value_of(const std::string& name) const;
  [[nodiscard]] pid_t pid() const { return pid_; }

  /// From now on nobody reads its standard output.
  void stop_reading();
  /// As Ctrl-S: its terminal takes nothing more.
  void stop_terminal() const;
  /// Whether it ends, though nobody reads.
  bool ends();

 private:
  bool read_some();
  void open_pipes(int& out, int& err);
  void open_terminal(int& out, int& err);

  pid_t pid_ = -1;
  int terminal_ = -1;  // its end of the terminal
  int output_ = -1, errors_ = -1;
  finished_process seen_;
};

/// Runs it to its end.
finished_process run_muster(std::vector<std::string> arguments);
/// `muster run OPTIONS -- sh -c SCRIPT`.
finished_process run_script(std::vector<std::string> options, const std::string& script);
std::vector<std::string> script_arguments(std::vector<std::string> options,
                                          const std::string& script);

/// The state letter of a process in /proc: 'R' running, 'S' asleep, 'T' stopped, 'Z' dead; 0 when there is none.
char state_of(pid_t pid);
/// The most memory that it has held so far, in MiB; 0 when there is none.
std::size_t memory_peak_mb(pid_t pid);
/// Whether it comes into that state in time.
bool becomes(pid_t pid, char state);
/// Whether a process with this number exists and is no zombie.
bool is_running(pid_t pid);
/// Whether that is no longer so in time.
bool stops_running(pid_t pid);

}  // namespace muster
