// What the process's own environment says to Muster.
#pragma once

#include <muster/messages/values/cluster/environment.hpp>

namespace muster {

/// The MUSTER_* variables of this process. Not while another thread changes the environment.
environment process_environment();

}  // namespace muster
