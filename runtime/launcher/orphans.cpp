#include <muster/runtime/launcher/orphans.hpp>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>

#include <sys/prctl.h>
#include <unistd.h>

namespace muster {
namespace {

/// State and parent of a process, from /proc/PID/stat: "PID (name) S PPID ...", where the name may
/// hold anything, so that the last parenthesis counts.
struct process_facts {
  char state;
  pid_t parent;
};

std::optional<process_facts> look_at(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  auto end = text.rfind(") ");
  if (end == std::string::npos || end + 4 >= text.size()) return std::nullopt;
  return process_facts{text[end + 2], std::atoi(text.c_str() + end + 4)};
}

}  // namespace

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

bool kill_all_children() {
  bool any = false;
  std::error_code why;  // processes come and go while we look
  for (auto at = std::filesystem::directory_iterator("/proc", why);
       at != std::filesystem::directory_iterator(); at.increment(why)) {
    const std::string pid = at->path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    auto facts = look_at(pid);
    if (!facts || facts->parent != getpid()) continue;
    any = true;
    if (facts->state != 'Z') kill(std::atoi(pid.c_str()), SIGKILL);
  }
  return any;
}

}  // namespace muster
