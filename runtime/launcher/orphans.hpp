// Processes that outlived the host that started them: they become children of ours, and are ended
// with the run. One thread.
#pragma once

namespace muster {

/// From now on processes whose parents die become children of this process, not of init.
void adopt_orphans();

/// Kills every child process that there is, and says whether there was any. Those whose parents die
/// by it are found by the next call: repeat until false, and wait for the dead ones.
bool kill_all_children();

}  // namespace muster
