// The variables that speak to Muster, as a value, so that whoever reads them can be tested with
// others.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace muster {

/// Names and values in the order of the process's environment; a name may stand there twice.
using environment = std::vector<std::pair<std::string, std::string>>;

}  // namespace muster
