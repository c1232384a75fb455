#include <muster/examples/train_text/console.hpp>

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include <muster/examples/train_text/train_options.hpp>

namespace train_text {
namespace {

using namespace std::chrono_literals;
constexpr muster::duration live_pause = 100ms;
constexpr muster::duration line_pause = 2s;

double seconds(muster::duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace

std::string seconds_text(muster::duration d) {
  const auto all = std::chrono::ceil<std::chrono::seconds>(d).count();
  return all < 60 ? fmt::format("{} s", all) : fmt::format("{} min {} s", all / 60, all % 60);
}

std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string quoted(std::string_view text) {
  std::string out = "  | ";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\n  | ";
    } else if (byte >= 0x20 && byte != 0x7f) {
      out += c;
    }
  }
  return out;
}

double console::seconds_trained() const { return seconds(trained()); }

double console::tokens_per_second() const {
  const double took = seconds_trained();
  return took > 0 ? static_cast<double>(steps_done_ * batch_samples) / took : 0;
}

void console::began(const run_facts& run) {
  run_ = run;
  began_ = last_step_ = shown_ = now_();
  if (!tells()) return;
  print_line(fmt::format("training on {} {} with {} {}: {} steps of {} samples, {} to an epoch",
                         run.hosts, run.hosts == 1 ? "host" : "hosts", run.devices,
                         run.devices == 1 ? "device" : "devices", grouped(run.steps), batch_samples,
                         grouped(run.epoch_steps)));
  print_line(
      fmt::format("{} parameters, {} different characters; an add-one trigram table has {:.3f} "
                  "nats per character on the held-out part",
                  grouped(run.parameters), run.vocabulary, run.trigram_loss));
}

std::string console::progress(double loss) const {
  const muster::duration left = trained() / static_cast<std::int64_t>(steps_done_) *
                                static_cast<std::int64_t>(run_.steps - steps_done_);
  return fmt::format("step {} of {}, loss {:.3f}, {} tokens/s, {} left", steps_done_, run_.steps,
                     loss, grouped(static_cast<std::uint64_t>(tokens_per_second())),
                     seconds_text(left));
}

void console::stepped(std::uint64_t steps_done, double loss) {
  steps_done_ = steps_done;
  last_step_ = now_();
  const bool last = steps_done == run_.steps;
  if (!tells() || (!last && last_step_ - shown_ < (live_ ? live_pause : line_pause))) return;
  shown_ = last_step_;
  if (live_ && !last) {
    show_live(progress(loss));
  } else {
    print_line(progress(loss));
  }
}

void console::epoch_closed(std::uint64_t epoch, std::uint64_t steps_done, double held_out_loss) {
  if (!tells()) return;
  const bool whole = steps_done % run_.epoch_steps == 0;
  print_line(fmt::format("epoch {} closed after step {}{}: held-out loss {:.3f}", epoch, steps_done,
                         whole ? "" : ", cut short", held_out_loss));
}

void console::compared(std::uint64_t steps_done, const std::string& digest) {
  if (!tells()) return;
  print_line(
      fmt::format("after step {} all hosts hold parameters of digest {}", steps_done, digest));
}

void console::ended(const train_summary& end) {
  summary_ = end;
  if (tells()) print_line("what the model writes:\n" + quoted(end.sample));
  for (const auto& d : end.devices) {
    print_line(fmt::format("device {} ({}): {} launches, {:.1f} MB reduced, busy {:.1f} s", d.index,
                           d.kind, grouped(d.launches), static_cast<double>(d.bytes_reduced) / 1e6,
                           seconds(d.busy)));
  }
}

void console::show_live(const std::string& text) {
  const std::size_t columns = std::max(live_columns_, text.size());
  out_ << '\r' << fmt::format("{:<{}}", text, columns) << std::flush;
  live_columns_ = text.size();
}

void console::print_line(std::string_view text) {
  if (live_columns_ > 0) out_ << '\r' << std::string(live_columns_, ' ') << '\r';
  live_columns_ = 0;
  out_ << text << '\n' << std::flush;
}

}  // namespace train_text
