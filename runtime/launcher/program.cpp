#include <muster/runtime/launcher/program.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

namespace muster {
namespace {

enum class check { missing, not_executable, executable };

check look_at(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return check::missing;
  return S_ISREG(about.st_mode) && access(path.c_str(), X_OK) == 0 ? check::executable
                                                                   : check::not_executable;
}

found_program not_executable(const std::string& path) {
  return {{}, "'" + path + "' is not an executable file", 126};
}

}  // namespace

found_program find_program(std::string_view name, std::string_view search_path) {
  const std::string wanted(name);
  if (wanted.find('/') != std::string::npos) {
    auto seen = look_at(wanted);
    if (seen == check::executable) return {wanted, {}, 0};
    if (seen == check::not_executable) return not_executable(wanted);
    return {{}, "there is no '" + wanted + "': " + std::strerror(errno), 127};
  }
  std::string refused;
  for (std::size_t begin = 0; !wanted.empty() && begin <= search_path.size();) {
    auto end = std::min(search_path.find(':', begin), search_path.size());
    auto folder = std::string(search_path.substr(begin, end - begin));
    auto path = (folder.empty() ? "." : folder) + "/" + wanted;
    auto seen = look_at(path);
    if (seen == check::executable) return {path, {}, 0};
    if (seen == check::not_executable && refused.empty()) refused = path;
    begin = end + 1;
  }
  if (!refused.empty()) return not_executable(refused);
  return {{}, "there is no program '" + wanted + "' in PATH", 127};
}

}  // namespace muster
