// One host's process, in a process group of its own, with its output in two pipes. It is killed
// when the thread that started it dies. One thread.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include <muster/messages/values/status.hpp>
#include <muster/runtime/launcher/descriptor.hpp>

namespace muster {

/// What to run. `descriptors` is the soft limit of open files that it gets.
struct child_command {
  std::string path;
  std::vector<std::string> arguments;    // the first is the program's name
  std::vector<std::string> environment;  // "NAME=value"
  unsigned long descriptors = 0;
};

class child {
 public:
  /// Forks and executes; returns when the program runs. `unavailable` with the system's reason
  /// else. Standard input is /dev/null: a process in the background may not read a terminal.
  static result<child> start(const child_command& what);

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Read ends, non-blocking.
  [[nodiscard]] descriptor& output() { return output_; }
  [[nodiscard]] descriptor& errors() { return errors_; }

  /// To every process of its group. Only while the process runs or is not waited for: its number
  /// may be another's afterwards.
  void signal_group(int signal) const;

 private:
  pid_t pid_ = -1;
  descriptor output_;
  descriptor errors_;
};

}  // namespace muster
