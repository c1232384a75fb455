// `muster run`: starts the hosts of a world on this machine, brings them together, passes their
// output and our signals on, and leaves no process behind. One thread, one loop that sleeps in
// poll().
//
//     running ──a host failed, time-out, broken output──> ending (SIGTERM sent) ──grace──> killed
//        └──────a signal from outside (passed on)───────> ending ─────────────────drain──> killed
//                                                            └──a second signal─────────> killed
//
// It ends when every host has ended, no descendant of one is left, and all output was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <poll.h>
#include <sys/types.h>

#include <muster/messages/values/time.hpp>
#include <muster/runtime/launcher/child.hpp>
#include <muster/runtime/launcher/child_environment.hpp>
#include <muster/runtime/launcher/console.hpp>
#include <muster/runtime/launcher/ending.hpp>
#include <muster/runtime/launcher/launch_options.hpp>
#include <muster/runtime/launcher/meeting_point.hpp>
#include <muster/runtime/launcher/output_lines.hpp>
#include <muster/runtime/launcher/signals.hpp>

namespace muster {

/// Call run() once, from the main thread of a process that does nothing else: signals, child
/// processes and orphans of the whole process are handled here.
class supervisor {
 public:
  explicit supervisor(launch_options options);

  /// The exit code: 0, or the first failure's (DESIGN: 128 + signal for a signal); 124 for the
  /// time-out, 126 and 127 for a program that can't be run, 141 when nobody reads our output any
  /// more.
  int run();

 private:
  struct stream {
    descriptor* from;  // closed at its end
    console* to;
    output_lines lines;
    std::size_t polled = 0;  // its place in polled_, 0 when it isn't there
  };
  struct launched {
    child process;
    bool ended = false;
    std::vector<stream> streams;  // output and errors
  };
  enum class phase : std::uint8_t { running, ending, killed };

  // supervisor.cpp: from start to end
  std::optional<int> prepare();
  void start_hosts();
  bool start_host(rank who, const child_command& command);
  [[nodiscard]] bool finished();
  void wait_for_news();
  void watch(int descriptor, short events);
  [[nodiscard]] int patience(time_point now) const;
  int report_and_flush();

  // supervisor_output.cpp
  void read_output();
  bool read_stream(rank who, stream& one);
  void close_stream(rank who, stream& one);
  void show_live(rank who, const stream& one);
  void flush();
  void check(const console& which, const char* name, bool& said);
  void say(const std::string& text);

  // supervisor_hosts.cpp: what happens to the hosts, and what they are told
  void on_signal(int signal);
  void on_stop();
  void on_interruption(int signal);
  void reap();
  void on_host_ended(rank who, const ending& how);
  void check_deadlines();
  void end_all(duration until_killed);
  void kill_all();
  void signal_all(int signal);

  launch_options options_;
  signals signals_;
  console out_, own_err_;
  console* err_;                              // out_, when both are one terminal or file
  bool said_out_ = false, said_err_ = false;  // that it is broken
  run_outcome outcome_;
  world_facts world_;
  std::string program_;
  unsigned long descriptors_ = 0;  // the soft limit that we were given, and the hosts get
  std::unique_ptr<meeting_point> meeting_;
  std::map<rank, std::unique_ptr<launched>> hosts_;
  std::vector<pollfd> polled_;
  phase phase_ = phase::running;
  bool interrupted_ = false;
  time_point started_{};
  time_point stop_at_ = never;  // the others, after a failure
  time_point kill_at_ = never;
  time_point give_up_at_ = never;  // on processes and pipes that are left when all hosts have ended
};

}  // namespace muster
