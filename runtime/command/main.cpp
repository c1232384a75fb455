// The command `muster`. Everything after the first `--` is the program that a sub-command starts.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <muster/messages/values/status.hpp>
#include <muster/runtime/command/run_command.hpp>

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> program(dashes == arguments.end() ? dashes : dashes + 1,
                                   arguments.end());
  arguments.erase(dashes, arguments.end());

  CLI::App muster(
      "Muster, the control runtime of distributed trainers: starts and looks after hosts.",
      "muster");
  muster.set_version_flag("--version", "muster " MUSTER_VERSION);
  muster.require_subcommand(1);
  muster::run_arguments run_options;
  auto* run = muster::add_run_command(muster, run_options);

  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    muster.parse(std::move(arguments));
    if (run->parsed()) return muster::run_command(run_options, program);
  } catch (const CLI::Success& e) {  // --help and --version
    return muster.exit(e);
  } catch (const CLI::ParseError& e) {
    std::cerr << "muster: " << e.what() << "; see muster --help\n";
    return exit_code(muster::status_code::invalid_argument);
  } catch (const std::exception& e) {
    std::cerr << "muster: " << e.what() << "\n";
    return exit_code(muster::status_code::internal);
  }
  return 0;
}
