// While one lives, its thread has every signal blocked, and threads that it starts inherit that: an
// application's signals must never land on a thread of ours. Scopes nest.
#pragma once

#include <csignal>

namespace muster {

class no_signals_scope {
 public:
  no_signals_scope() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~no_signals_scope() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  no_signals_scope(const no_signals_scope&) = delete;
  no_signals_scope& operator=(const no_signals_scope&) = delete;

 private:
  sigset_t before_;
};

}  // namespace muster
