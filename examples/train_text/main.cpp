// The program `train_text`: joins the world that its environment describes, trains, and leaves.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <muster/examples/train_text/console.hpp>
#include <muster/examples/train_text/corpus.hpp>
#include <muster/examples/train_text/summary_file.hpp>
#include <muster/examples/train_text/train.hpp>
#include <muster/runtime/host.hpp>
#include <muster/runtime/host_options.hpp>
#include <muster/runtime/run.hpp>
#include <muster/runtime/runtime.hpp>

namespace {

using namespace std::chrono_literals;

constexpr int exit_not_learned = 1;
constexpr int exit_usage = 2;

constexpr const char* description =
    "Trains a small character language model on a text, data-parallel over all devices of all "
    "hosts.\n"
    "\n"
    "Start it alone, or on several hosts at once:\n"
    "  train_text FILE\n"
    "  muster run --hosts 4 --devices 2 -- train_text FILE\n"
    "Every host needs the same text and the same options.\n"
    "\n"
    "The last tenth of the text is held out. The run succeeds when the model predicts it better "
    "than a\n"
    "table of all triples of characters, each counted once more than it occurs. A run that ends by "
    "the\n"
    "step of --digest-at is too short for that and succeeds without it. The bits of the result "
    "depend\n"
    "on text, seed, steps and leaves, never on the number of hosts and devices.";

constexpr const char* footer =
    "Exit status: 0 when the model is better than the table, 1 when it is not, 2 for a wrong "
    "command\n"
    "line, 64 and more for what Muster reports (README.md lists these).";

struct command_line {
  std::string file;
  train_text::train_options train;
  std::string summary;
};

void add_options(CLI::App& app, command_line& line) {
  auto& o = line.train;
  app.add_option("FILE", line.file, "The text")->required();
  app.add_option("--steps", o.steps, "Steps of 64 samples")->capture_default_str();
  app.add_option("--seed", o.seed, "Fixes first parameters, samples and dropout")
      ->capture_default_str();
  app.add_option("--leaves", o.leaves,
                 "Micro-batches of a step; a divisor of 64, at least the devices")
      ->capture_default_str();
  app.add_option("--digest-at", o.digest_at,
                 "Compare the parameters of all hosts after this step, too")
      ->capture_default_str();
  app.add_option("--expect-digest", o.expect_digest, "Fail unless they have this digest then")
      ->type_name("HEX");
  app.add_option("--summary", line.summary, "Rank 0 writes the result there, as JSON")
      ->type_name("FILE");
}

muster::time_point steady_now() {
  return muster::time_point(std::chrono::duration_cast<muster::duration>(
      std::chrono::steady_clock::now().time_since_epoch()));
}

int complain(const muster::status& why) {
  std::cerr << "train_text: " << muster::to_string(why) << std::endl;
  return muster::exit_code(why.code);
}

/// Trains and leaves. A host that failed leaves too, so that the others need not wait for it.
muster::task<void> train_and_leave(muster::host& host,
                                   std::shared_ptr<const train_text::corpus> text,
                                   train_text::train_options options,
                                   train_text::report_sink& sink) {
  muster::status failure;
  try {
    co_await train_text::train(host, std::move(text), options, sink);
  } catch (const muster::status_error& e) {
    failure = e.why();
  }
  if (failure.ok()) {
    co_await host.leave();
    co_return;
  }
  muster::op<void> leaving = host.leave({.soft = 2s, .hard = 5s});
  std::ignore = co_await leaving.as_result();  // the first failure is the one to report
  throw muster::status_error(failure);
}

/// The closing sentence, from rank 0; every host knows the same.
int judge(const train_text::train_summary& end, const train_text::train_options& options) {
  const bool tells = end.run.rank == 0;
  const std::string losses =
      fmt::format("held-out loss {:.3f} nats per character, the trigram table has {:.3f}",
                  end.held_out_loss, end.run.trigram_loss);
  if (options.for_digest_only()) {
    if (tells)
      std::cout << "train_text: ok: ended by step " << options.digest_at << "; " << losses
                << std::endl;
    return 0;
  }
  if (!end.beats_trigram()) {
    if (tells) {
      std::cerr << "train_text: failed: " << losses
                << ": the model did not learn this text well enough; more --steps or a longer text "
                   "may help"
                << std::endl;
    }
    return exit_not_learned;
  }
  if (tells) std::cout << "train_text: ok: " << losses << std::endl;
  return 0;
}

int join_and_train(const command_line& line) {
  muster::result<train_text::corpus> text = train_text::corpus::read(line.file);
  if (!text.ok()) return complain(text.why());
  const muster::result<muster::host_options> options = muster::host_options::from_environment();
  if (!options.ok()) return complain(options.why());
  if (const muster::status fit = check(line.train, options.value().devices.count); !fit.ok()) {
    return complain(fit);
  }
  const auto shared_text = std::make_shared<const train_text::corpus>(std::move(text).value());
  train_text::console console(std::cout, options.value().terminal || ::isatty(STDOUT_FILENO) == 1,
                              steady_now);
  muster::runtime rt;
  muster::result<muster::host> joined = rt.join(options.value());
  if (!joined.ok()) return complain(joined.why());
  muster::host host = std::move(joined).value();
  muster::run(train_and_leave(host, shared_text, line.train, console));
  const train_text::train_summary& end = console.summary();
  if (end.run.rank == 0 && !line.summary.empty()) {
    const muster::status written =
        train_text::write_file(line.summary, train_text::summary_json(end, line.train, line.file,
                                                                      console.seconds_trained(),
                                                                      console.tokens_per_second()));
    if (!written.ok()) return complain(written);
  }
  return judge(end, line.train);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(description);
  app.footer(footer);
  command_line line;
  add_options(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : exit_usage;
  }
  try {
    return join_and_train(line);
  } catch (const muster::status_error& e) {
    return complain(e.why());
  }
}
