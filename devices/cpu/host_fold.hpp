// Folds on the host's vector units: the executable specification of every other back end's. Any thread whose
// floating-point mode is set (order.hpp).
#pragma once

#include <muster/devices/fold_launch.hpp>

namespace muster {

/// Computes every output, in one pass over the inputs. Addresses are aligned for their elements; no output
/// overlaps an input or another output.
void run_fold(const fold_launch& fold);

}  // namespace muster
