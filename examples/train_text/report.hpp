// What a trainer tells whoever watches it. The console of the program is one such watcher, a test another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <muster/messages/values/time.hpp>

namespace train_text {

struct run_facts {
  std::uint32_t rank = 0;
  std::uint32_t hosts = 0;
  std::uint32_t devices = 0;  // of all hosts
  std::uint64_t steps = 0;
  std::uint64_t epoch_steps =
      0;  // so many steps take as many samples as the training part has characters
  std::uint32_t vocabulary = 0;
  std::uint64_t parameters = 0;
  double trigram_loss = 0;
};

struct device_facts {
  std::uint32_t index = 0;  // over all hosts
  std::string kind;
  std::uint64_t launches = 0;
  std::uint64_t bytes_reduced = 0;
  muster::duration busy{};
};

/// How a run ended. Losses are in nats per character and equal on all hosts.
struct train_summary {
  run_facts run;
  double loss = 0;  // of the last step, on its samples and with dropout
  double held_out_loss = 0;
  std::optional<std::string> digest;  // after step digest_at, if the run got there
  std::string final_digest;
  std::vector<device_facts> devices;  // of this host
  std::string sample;                 // what the model writes; rank 0 only

  [[nodiscard]] bool beats_trigram() const { return held_out_loss < run.trigram_loss; }
};

/// Called by the trainer's coroutine, on its executor, on every host. Must not throw.
class report_sink {
 public:
  virtual ~report_sink() = default;
  virtual void began(const run_facts&) = 0;
  /// Steps done so far, and the mean loss of the last one's samples.
  virtual void stepped(std::uint64_t steps_done, double loss) = 0;
  virtual void epoch_closed(std::uint64_t epoch, std::uint64_t steps_done,
                            double held_out_loss) = 0;
  /// All hosts agree on it.
  virtual void compared(std::uint64_t steps_done, const std::string& digest) = 0;
  virtual void ended(const train_summary&) = 0;
};

}  // namespace train_text
