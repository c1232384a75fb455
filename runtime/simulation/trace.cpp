#include <muster/runtime/simulation/trace.hpp>

#include <fmt/format.h>
#include <xxhash.h>

namespace muster {

struct trace::hasher {
  XXH3_state_t* state = XXH3_createState();
  hasher() { XXH3_64bits_reset(state); }
  ~hasher() { XXH3_freeState(state); }
  hasher(const hasher&) = delete;
  hasher& operator=(const hasher&) = delete;
};

trace::trace(std::size_t lines_max) : hasher_(std::make_unique<hasher>()), lines_max_(lines_max) {}
trace::~trace() = default;

void trace::note(time_point at, rank who, std::string_view what, std::uint64_t detail) {
  ++events_;
  const std::uint64_t numbers[] = {static_cast<std::uint64_t>(at.time_since_epoch().count()),
                                   who.value, detail, what.size()};
  XXH3_64bits_update(hasher_->state, numbers, sizeof numbers);
  XXH3_64bits_update(hasher_->state, what.data(), what.size());
  if (lines_max_ == 0) return;
  if (lines_.size() == lines_max_) lines_.pop_front();
  const auto microseconds = static_cast<double>(at.time_since_epoch().count()) / 1'000;
  lines_.push_back(
      fmt::format("{:14.3f} us  rank {:<5} {} {}", microseconds, who.value, what, detail));
}

std::string trace::hash() const {
  return fmt::format("{:016x}", XXH3_64bits_digest(hasher_->state));
}

}  // namespace muster
