// Tells a person how a run goes: a line that changes in place on a terminal, plain lines elsewhere. Used by
// the trainer's thread. Rank 0 tells of the run; every host tells of its own devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include <muster/examples/train_text/report.hpp>
#include <muster/messages/values/time.hpp>

namespace train_text {

class console final : public report_sink {
 public:
  /// `live`: a terminal shows what is written at once. `now` never goes back. Both references outlive
  /// the console.
  console(std::ostream& out, bool live, std::function<muster::time_point()> now)
      : out_(out), live_(live), now_(std::move(now)) {}

  void began(const run_facts&) override;
  void stepped(std::uint64_t steps_done, double loss) override;
  void epoch_closed(std::uint64_t epoch, std::uint64_t steps_done, double held_out_loss) override;
  void compared(std::uint64_t steps_done, const std::string& digest) override;
  void ended(const train_summary&) override;

  /// From the first step to the last one so far.
  [[nodiscard]] double seconds_trained() const;
  [[nodiscard]] double tokens_per_second() const;
  /// What `ended` was told.
  [[nodiscard]] const train_summary& summary() const { return summary_; }

 private:
  [[nodiscard]] muster::duration trained() const { return last_step_ - began_; }
  [[nodiscard]] bool tells() const { return run_.rank == 0; }
  [[nodiscard]] std::string progress(double loss) const;
  void show_live(const std::string& text);
  void print_line(std::string_view text);

  std::ostream& out_;
  bool live_;
  std::function<muster::time_point()> now_;
  run_facts run_;
  train_summary summary_;
  std::uint64_t steps_done_ = 0;
  muster::time_point began_{}, last_step_{}, shown_{};
  std::size_t live_columns_ = 0;
};

/// "12 s" or "3 min 5 s"; rounded up, so that it is 0 s only at the end.
std::string seconds_text(muster::duration);
/// "1,234,567".
std::string grouped(std::uint64_t);
/// Generated text in lines with a margin, its control characters left out.
std::string quoted(std::string_view text);

}  // namespace train_text
