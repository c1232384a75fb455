// What the members wait for, read off the open operations: one mechanism for the reports that go up, for
// stall reports and for the verdict on a missing rank. Pure functions over the collective's table.
#pragma once

#include <map>
#include <vector>

#include <muster/actors/protocols/instance.hpp>
#include <muster/messages/values/control.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

using instance_table = std::map<operation_key, instance>;

/// The operations that are incomplete here for at least `age` and whose arrivals the parent was not told
/// yet; marks them as told. Oldest first, at most limits::intents_max.
intents report_intents(instance_table& table, const tree_shape& tree, time_point now, duration age);

/// Where the missing ranks of `of` are instead: in which other operation and for how long, in leave, behind
/// a link that is down, or not arrived anywhere. Ranks in the same place are one absence; of the other
/// operations limits::intents_max are named, the ranks of the rest are one absence that counts them.
std::vector<absence> locate(const rank_set& missing, const instance& of,
                            const instance_table& table, const tree_shape& tree,
                            const rank_set& unreachable, time_point now);

}  // namespace muster
