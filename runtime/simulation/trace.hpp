// What happened in a simulation, as one number: the same seed gives the same trace in every process. It
// holds virtual time, ranks and names, never addresses, thread ids or CAF ids. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include <muster/messages/values/ids.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

class trace {
 public:
  /// Keeps the last `lines_max` events as text as well; the hash takes in all of them.
  explicit trace(std::size_t lines_max = 0);
  ~trace();
  trace(const trace&) = delete;
  trace& operator=(const trace&) = delete;

  void note(time_point at, rank who, std::string_view what, std::uint64_t detail = 0);

  [[nodiscard]] std::uint64_t events() const { return events_; }
  /// XXH3 of every event so far, 16 hexadecimal digits.
  [[nodiscard]] std::string hash() const;
  [[nodiscard]] const std::deque<std::string>& lines() const { return lines_; }

 private:
  struct hasher;
  std::unique_ptr<hasher> hasher_;
  std::size_t lines_max_;
  std::deque<std::string> lines_;
  std::uint64_t events_ = 0;
};

}  // namespace muster
