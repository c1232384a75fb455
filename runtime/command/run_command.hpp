// `muster run` on the command line. Called once, by main.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace muster {

/// What was typed, as text: read strictly by launch_options_of.
struct run_arguments {
  std::string hosts, devices = "1", job, after_failure = "stop", grace, drain, timeout;
  bool no_prefix = false;
};

/// Adds the sub-command and its options to the command line.
CLI::App* add_run_command(CLI::App& muster, run_arguments& into);

/// Runs it: `program` is what stood after `--`. Returns the process's exit code.
int run_command(const run_arguments& typed, const std::vector<std::string>& program);

}  // namespace muster
