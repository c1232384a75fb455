#include <muster/runtime/command/run_command.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <string_view>

#include <CLI/CLI.hpp>

#include <muster/messages/values/cluster/text_values.hpp>
#include <muster/messages/values/text.hpp>
#include <muster/runtime/host_options.hpp>
#include <muster/runtime/launcher/launch_options.hpp>
#include <muster/runtime/launcher/supervisor.hpp>

namespace muster {
namespace {

constexpr const char* about =
    "Starts a world of hosts on this machine: PROGRAM once per host, each told by MUSTER_* "
    "variables who it "
    "is and where the others meet. Prints what they print, line by line, passes SIGINT, SIGTERM "
    "and SIGHUP on, "
    "and leaves no process behind.";

constexpr const char* times_and_exit_codes =
    "TIME is a whole number with its unit: 500ms, 10s, 5min or 2h.\n\n"
    "Exit code: 0, or the first failure's: the host's own, or 128 + signal. 124: the time-out. "
    "126, 127: the\n"
    "program can't be run, or isn't there. 65: these options are wrong. 141: nobody reads the "
    "output any more.\n\n"
    "Example: muster run --hosts 4 --devices 2 -- ./train --steps 100";

/// Reads options one by one and gathers what is wrong with them.
class reader {
 public:
  template <class T, class Parse>
  void read(const char* option, const std::string& text, T& out, Parse parse) {
    auto value = parse(text);
    if (value)
      out = std::move(*value);
    else
      problem(std::string(option) + " is '" + text + "': it " + value.why().text);
  }
  template <class T, class Parse>
  void read_if_given(const char* option, const std::string& text, T& out, Parse parse) {
    if (!text.empty()) read(option, text, out, parse);
  }
  void problem(const std::string& text) { problems_ += (problems_.empty() ? "" : "; ") + text; }
  [[nodiscard]] const std::string& problems() const { return problems_; }

 private:
  std::string problems_;
};

/// CLI11 knows nothing of what stands after `--`.
struct usage_with_program : CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: muster run --hosts N [OPTIONS] -- PROGRAM [ARGUMENTS]\n";
  }
};

result<on_failure> parse_on_failure(std::string_view text) {
  if (text == "stop") return on_failure::stop;
  if (text == "wait") return on_failure::wait;
  return error(status_code::invalid_argument, "must be stop or wait");
}

result<launch_options> launch_options_of(const run_arguments& typed,
                                         const std::vector<std::string>& program) {
  reader in;
  launch_options out;
  in.read("--hosts", typed.hosts, out.hosts,
          [](auto& text) { return parse_number(text, 1, limits::launched_hosts_max); });
  in.read("--devices", typed.devices, out.devices, parse_devices);
  in.read("--on-failure", typed.after_failure, out.after_failure, parse_on_failure);
  in.read_if_given("--job", typed.job, out.job, parse_job);
  in.read_if_given("--grace", typed.grace, out.grace, parse_duration);
  in.read_if_given("--drain", typed.drain, out.drain, parse_duration);
  in.read_if_given("--timeout", typed.timeout, out.timeout, parse_duration);
  out.prefix = !typed.no_prefix;
  out.command = program;
  if (program.empty())
    in.problem("there is no program: it comes after --, as in `muster run --hosts 2 -- ./train`");
  if (!in.problems().empty()) return error(status_code::invalid_argument, in.problems());
  return out;
}

}  // namespace

CLI::App* add_run_command(CLI::App& muster, run_arguments& into) {
  auto* run = muster.add_subcommand("run", "start hosts on this machine");
  run->description(about);
  run->formatter(std::make_shared<usage_with_program>());
  run->footer(times_and_exit_codes);
  run->add_option("--hosts", into.hosts, "how many hosts, each a process")
      ->required()
      ->type_name("N");
  run->add_option("--devices", into.devices, "devices of each host: 2, or cpu:2 (default 1)")
      ->type_name("N");
  run->add_option("--job", into.job, "the job's name (default: one of its own)")->type_name("NAME");
  run->add_option("--on-failure", into.after_failure,
                  "when a host fails, stop the others, or wait for them (default stop)")
      ->type_name("stop|wait");
  run->add_option("--grace", into.grace, "between SIGTERM to the others and SIGKILL (default 5s)")
      ->type_name("TIME");
  run->add_option("--drain", into.drain,
                  "between a signal that was passed on and SIGKILL (default 10min)")
      ->type_name("TIME");
  run->add_option("--timeout", into.timeout, "stop the run after this long (default: never)")
      ->type_name("TIME");
  run->add_flag("--no-prefix", into.no_prefix, "print lines without the host's rank before them");
  return run;
}

int run_command(const run_arguments& typed, const std::vector<std::string>& program) {
  auto options = launch_options_of(typed, program);
  if (!options) {
    std::cerr << "muster: " << options.why().text << "\n";
    return exit_code(status_code::invalid_argument);
  }
  return supervisor(std::move(*options)).run();
}

}  // namespace muster
