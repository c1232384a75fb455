// The supervisor and what hosts print: from their pipes, line by line, to our own streams. Who has
// no room isn't read, so that the host waits and our memory doesn't grow.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <unistd.h>

#include <muster/runtime/launcher/supervisor.hpp>

namespace muster {
namespace {

constexpr std::size_t pipe_bytes = 64u << 10;
constexpr int exit_broken_pipe = 128 + SIGPIPE;

}  // namespace

void supervisor::read_output() {
  for (auto& [who, host] : hosts_)
    for (auto& one : host->streams)
      if (one.polled != 0 && polled_[one.polled].revents != 0) read_stream(who, one);
}

/// Reads once; true when there may be more to read.
bool supervisor::read_stream(rank who, stream& one) {
  if (!*one.from || !one.to->has_room()) return false;
  std::array<char, pipe_bytes> bytes;
  const auto n = read(one.from->get(), bytes.data(), bytes.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (n <= 0) {
    close_stream(who, one);
    return false;
  }
  std::string lines;
  one.lines.take({bytes.data(), static_cast<std::size_t>(n)}, lines);
  one.to->print(lines);
  show_live(who, one);
  return true;
}

void supervisor::close_stream(rank who, stream& one) {
  one.from->reset();
  std::string last;
  one.lines.finish(last);
  one.to->print(last);
  show_live(who, one);
}

/// Whichever of host 0's streams spoke last has the line that changes in place.
void supervisor::show_live(rank who, const stream& one) {
  if (who == rank{0}) one.to->show_live(one.lines.unfinished());
}

void supervisor::flush() {
  out_.flush();
  if (err_ != &out_) err_->flush();
  check(out_, "standard output", said_out_);
  if (err_ != &out_) check(*err_, "standard error", said_err_);
}

void supervisor::check(const console& which, const char* name, bool& said) {
  if (which.failure() == 0 || said) return;
  said = true;
  if (which.failure() != EPIPE)
    return say(std::string(name) + ": " + std::strerror(which.failure()) + "; it is dropped");
  outcome_.on_order(exit_broken_pipe,
                    std::string("nobody reads ") + name + " any more; the hosts were stopped");
  end_all(options_.grace);
}

void supervisor::say(const std::string& text) { err_->print("muster: " + text + "\n"); }

}  // namespace muster
