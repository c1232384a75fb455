// Finds a program as a shell does. Reads the file system; any thread.
#pragma once

#include <string>
#include <string_view>

namespace muster {

/// Where the program is; or why it can't be run, and the exit code that shells give for that.
struct found_program {
  std::string path;
  std::string why;    // empty when found
  int exit_code = 0;  // 127 not found, 126 found and not executable
};

/// `name` itself when it holds a slash; else the first executable of that name in the folders of
/// `search_path` (the value of PATH; an empty folder is the current one).
found_program find_program(std::string_view name, std::string_view search_path);

}  // namespace muster
