// The variables that speak to Muster, as a value, so that whoever reads them can be tested with
// others.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace muster {

/// Names and values in the order of the process's environment; a name may stand there twice.
using environment = std::vector<std::pair<std::string, std::string>>;

/// The MUSTER_* variables of this process. Not while another thread changes the environment.
environment process_environment();

}  // namespace muster
