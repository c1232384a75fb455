#include <muster/runtime/launcher/ending.hpp>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include <muster/messages/values/status.hpp>

namespace muster {
namespace {

/// The status whose exit code this is, if there is one: what a host that uses Muster may have
/// meant.
std::optional<status_code> status_of(int code) {
  for (std::uint32_t n = 1; auto known = status_code_from_number(n); ++n)
    if (exit_code(*known) == code) return known;
  return std::nullopt;
}

std::string seconds(duration d) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", std::chrono::duration<double>(d).count());
  return text;
}

std::string hosts_text(std::uint32_t n) {
  return std::to_string(n) + (n == 1 ? " host" : " hosts");
}

}  // namespace

int shell_code(const ending& how) { return how.signal != 0 ? 128 + how.signal : how.code; }

std::string signal_name(int signal) {
  const char* short_name = sigabbrev_np(signal);
  return short_name != nullptr ? std::string("SIG") + short_name
                               : "signal " + std::to_string(signal);
}

std::string to_string(const ending& how) {
  if (how.signal != 0)
    return "signal " + std::to_string(how.signal) + " (" + signal_name(how.signal) + ")";
  std::string text = "exit code " + std::to_string(how.code);
  if (auto meant = status_of(how.code)) text += " (" + std::string(to_string(*meant)) + ")";
  return text;
}

void run_outcome::on_end(rank who, const ending& how) {
  ++ended_;
  if (!how.failed()) return;
  if (!stopped_) ++failed_;
  if (!cause_ && !(killed_ && how.signal == SIGKILL)) cause_ = failure{who, how};
}

void run_outcome::on_signal(int signal) {
  if (signal_ == 0) signal_ = signal;
}

void run_outcome::on_order(int code, std::string why) {
  if (!cause_) cause_ = order{code, std::move(why)};
}

int run_outcome::exit_code() const {
  if (!cause_) return failed_ != 0 ? 128 + signal_ : 0;
  if (auto* first = std::get_if<failure>(&*cause_)) return shell_code(first->how);
  return std::get<order>(*cause_).code;
}

std::string run_outcome::summary(duration elapsed) const {
  std::string text = signal_ == 0 ? "" : signal_name(signal_) + ": ";
  if (!cause_ && failed_ != 0) {
    text += hosts_text(failed_) + " killed";
  } else if (!cause_) {
    text += hosts_ == 1 ? "the host ended well" : "all " + hosts_text(hosts_) + " ended well";
  } else if (auto* first = std::get_if<failure>(&*cause_)) {
    text += "host " + std::to_string(first->who.value) + " ended with " + to_string(first->how);
    if (failed_ > 1)
      text += ", " + std::to_string(failed_) + " of " + hosts_text(hosts_) + " failed";
  } else {
    text += std::get<order>(*cause_).why;
  }
  return text + " after " + seconds(elapsed);
}

}  // namespace muster
