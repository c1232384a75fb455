// Errors are values: a closed set of codes, a sentence that names value and rule, and structured details.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <muster/messages/values/ensure.hpp>
#include <muster/messages/values/operation.hpp>
#include <muster/messages/values/rank_set.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

/// The numbers are wire numbers and never change; `exit_code` gives each its own process exit code.
enum class status_code : std::uint8_t {
  ok = 0,
  invalid_argument = 1,    // a value breaks a rule that the text names; nothing was sent
  mismatch = 2,            // members said different things; `statements` lists who said what
  deadline_exceeded = 3,   // the hard deadline came; `absences` lists who was missing
  unknown = 4,             // the verdict could not be learned and this host is fenced. Not "failed"
  left = 5,                // a member that was waited for has left
  cancelled = 6,           // some member asked for it, and the root decided so
  aborted = 7,             // a member reported an error of its own; the first one is the cause
  generation_changed = 8,  // the membership is not the one that the operation was called in
  straggler_behind = 9,    // a member has too many outcomes that it never took
  duplicate_rank = 10,     // another live process has this rank
  refused = 11,            // a peer refused our hello: job, version, credential
  unavailable = 12,        // a peer can't be reached
  resource_exhausted = 13,  // a limit of limits.hpp
  would_block = 14,         // get or wait where blocking is not allowed
  device_error = 15,        // a device failed; the text has its error name, call and place
  internal = 16,            // our bug
};

std::string_view to_string(status_code);
std::optional<status_code> status_code_from_number(std::uint32_t);
/// 0 for ok; else 64 + number, so that no code collides with a shell's or a signal's.
int exit_code(status_code);

/// Some ranks that were missing from an operation, and where they were instead.
struct absence {
  enum class state : std::uint8_t {
    not_arrived = 1,   // alive as far as known, and waiting for nothing
    elsewhere = 2,     // waits in another operation, named by `what`
    left = 3,          // has left, or waits in leave
    never_joined = 4,  // of a join
    unreachable = 5,   // the link to it is down
  };
  rank_set ranks;
  state where = state::not_arrived;
  std::string what;  // elsewhere: the operation
  duration since{};  // elsewhere: for how long it has waited there
  friend bool operator==(const absence&, const absence&) = default;
};
std::string to_string(const absence&);

/// Who said what. Part of a mismatch.
struct statement {
  signature said;
  rank_set ranks;
  friend bool operator==(const statement&, const statement&) = default;
};

/// A result without a value. Copies; any thread. The same verdict is the same status at every waiter.
struct [[nodiscard]] status {
  status_code code = status_code::ok;
  std::string text;                   // empty for ok
  std::vector<absence> absences;      // deadline_exceeded, left
  std::vector<statement> statements;  // mismatch
  rank_set unheard;                   // mismatch: who had not been heard when it was decided

  [[nodiscard]] bool ok() const { return code == status_code::ok; }
  /// All ranks of `absences`.
  [[nodiscard]] rank_set missing() const;
  friend bool operator==(const status&, const status&) = default;
};

inline status error(status_code code, std::string text) {
  return {code, std::move(text), {}, {}, {}};
}
/// A value breaks a rule; the text names both.
inline status invalid_argument(std::string text) {
  return error(status_code::invalid_argument, std::move(text));
}

/// "deadline_exceeded: barrier 'x' ...". One line, with every detail.
std::string to_string(const status&);

/// What `value()` and `get()` throw.
class status_error : public std::exception {
 public:
  explicit status_error(status s) : status_(std::move(s)), what_(to_string(status_)) {}
  [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }
  [[nodiscard]] const status& why() const { return status_; }

 private:
  status status_;
  std::string what_;
};

/// A T or the status that says why there is none. `result<void>` is a status with the same face.
template <class T>
class [[nodiscard]] result {
 public:
  result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: a value is a result
  result(status why)
      : state_(std::in_place_index<1>, std::move(why)) {  // NOLINT: and so is an error
    ensure(!std::get<1>(state_).ok(), "a result without a value says why");
  }

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  /// The value; throws status_error when there is none.
  T& value() & {
    check();
    return std::get<0>(state_);
  }
  T&& value() && {
    check();
    return std::get<0>(std::move(state_));
  }
  const T& value() const& {
    check();
    return std::get<0>(state_);
  }
  T& operator*() { return value(); }
  T* operator->() { return &value(); }
  const T& operator*() const { return value(); }
  const T* operator->() const { return &value(); }
  /// The error, or an ok status.
  [[nodiscard]] status why() const { return ok() ? status{} : std::get<1>(state_); }

 private:
  void check() const {
    if (!ok()) throw status_error(std::get<1>(state_));
  }
  std::variant<T, muster::status> state_;
};

template <>
class [[nodiscard]] result<void> {
 public:
  result() = default;
  result(muster::status why) : status_(std::move(why)) {}  // NOLINT: a status is a result
  [[nodiscard]] bool ok() const { return status_.ok(); }
  explicit operator bool() const { return ok(); }
  void value() const {
    if (!ok()) throw status_error(status_);
  }
  [[nodiscard]] const status& why() const { return status_; }

 private:
  status status_;
};

}  // namespace muster
