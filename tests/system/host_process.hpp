// A real host process without a launcher, told by its environment who it is. Every wait has a bound; what is
// left of it is killed at the end.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace muster::testing {

/// One host, its output and errors in one pipe.
class host_process {
 public:
  /// Its environment is `variables`, the options of sanitizers, and nothing else.
  host_process(std::string program, std::vector<std::string> variables,
               std::vector<std::string> arguments = {});
  ~host_process();
  host_process(const host_process&) = delete;
  host_process& operator=(const host_process&) = delete;

  /// Reads until the output holds `wanted`, or to its end where that is empty.
  bool reads(const std::string& wanted = {});
  /// 128 + signal where one ended it; -1 when it doesn't end.
  int exit_code();
  void stop_with(int signal) const;

  std::string text;  // what was read

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

}  // namespace muster::testing
