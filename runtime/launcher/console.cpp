#include <muster/runtime/launcher/console.hpp>

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

/// What a pipe that is ready takes at least, and a terminal at most times.
constexpr std::size_t cautious_bytes = 512;

bool is_ready(int descriptor) {
  pollfd one{descriptor, POLLOUT, 0};
  return poll(&one, 1, 0) == 1;
}

}  // namespace

console::console(int stream) {
  struct stat about {};
  if (fstat(stream, &about) != 0) {  // closed
    to_ = muster::descriptor(open("/dev/null", O_WRONLY | O_CLOEXEC));
    return;
  }
  device_ = about.st_dev;
  inode_ = about.st_ino;
  terminal_ = isatty(stream) == 1;
  if (terminal_ || S_ISFIFO(about.st_mode)) {
    // The same terminal or pipe, opened again: a flag of ours alone.
    auto path = "/proc/self/fd/" + std::to_string(stream);
    to_ = muster::descriptor(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    kind_ = to_ ? kind::own_description : kind::shared_description;
  } else if (S_ISSOCK(about.st_mode)) {
    kind_ = kind::socket;
  }
  if (!to_) to_ = muster::descriptor(fcntl(stream, F_DUPFD_CLOEXEC, 3));
}

bool console::same_as(const console& other) const {
  return inode_ != 0 && device_ == other.device_ && inode_ == other.inode_;
}

bool console::has_room() const {
  return buffer_.size() - written_ < limits::output_buffer_bytes_max;
}

void console::print(std::string_view text) {
  if (text.empty() || failure_ != 0) return;
  buffer_ += live_.print(text);
}

void console::show_live(std::string_view text) {
  if (terminal_ && failure_ == 0) buffer_ += live_.show(text);
}

std::size_t console::columns() const {
  winsize size{};
  if (ioctl(to_.get(), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void console::flush() {
  if (terminal_ && failure_ == 0) buffer_ += live_.draw(columns());
  while (waiting()) {
    auto* data = buffer_.data() + written_;
    auto size = buffer_.size() - written_;
    if (kind_ == kind::shared_description) {
      if (!is_ready(to_.get())) break;
      size = std::min(size, cautious_bytes);
    }
    const auto n = kind_ == kind::socket ? send(to_.get(), data, size, MSG_DONTWAIT | MSG_NOSIGNAL)
                                         : write(to_.get(), data, size);
    if (n >= 0) {
      written_ += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      failure_ = errno;
      written_ = buffer_.size();
    }
  }
  if (written_ == buffer_.size() || written_ >= limits::output_buffer_bytes_max) {
    buffer_.erase(0, written_);
    written_ = 0;
  }
}

}  // namespace muster
