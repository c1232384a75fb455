// The signals that the supervisor handles, as something to read from. One thread, which should make
// it before any other thread exists, so that those inherit the mask.
#pragma once

#include <vector>

#include <muster/runtime/launcher/descriptor.hpp>

namespace muster {

class signals {
 public:
  /// Blocks SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT and SIGCHLD, and ignores SIGPIPE. A signal
  /// that was ignored when we started (as `nohup` does with SIGHUP) stays so.
  signals();

  [[nodiscard]] int descriptor() const { return from_.get(); }
  /// Those that have come since; each at most once.
  std::vector<int> take();

 private:
  muster::descriptor from_;
};

}  // namespace muster
