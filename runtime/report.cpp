#include <muster/runtime/report.hpp>

#include <poll.h>
#include <unistd.h>

#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {

std::string_view to_string(report::kind what) {
  switch (what) {
    case report::kind::joining: return "joining";
    case report::kind::stalled: return "stalled";
    case report::kind::fenced: return "fenced";
    case report::kind::notice: return "notice";
  }
  return "report of no kind";
}

std::string to_string(const report& r) {
  return "muster: rank " + to_string(r.who) + ": " + std::string(to_string(r.what)) + ": " +
         one_line(r.text);
}

void report_to_stderr(const report& r) {
  const auto line = to_string(r) + "\n";
  pollfd room{STDERR_FILENO, POLLOUT, 0};
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(limits::report_write_max);
  if (poll(&room, 1, static_cast<int>(wait.count())) != 1 || (room.revents & POLLOUT) == 0) return;
  [[maybe_unused]] auto written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace muster
