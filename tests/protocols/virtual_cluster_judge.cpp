// The judge: what all members were told, compared with what they had done.
#include <algorithm>

#include <muster/tests/protocols/virtual_cluster.hpp>

#include <muster/messages/values/leaves.hpp>

namespace muster::testing {
namespace {

std::string expression(std::uint64_t first, std::uint64_t last) {
  if (last - first == 1) return std::to_string(first);
  const auto middle = first + split_of(last - first);
  return "(" + expression(first, middle) + "+" + expression(middle, last) + ")";
}

std::string where(rank r, const call_record& call, std::size_t round) {
  return to_string(call.key) + ", round " + std::to_string(round) + ", rank " +
         std::to_string(r.value);
}

}  // namespace

void virtual_cluster::judge(rank r, const call_record& call, std::size_t round) {
  const auto [known, first] = outcomes_.try_emplace({to_string(call.key), round}, call.outcome);
  if (!first && known->second != call.outcome)
    return fail("C6: members differ at " + where(r, call, round) + ": " + to_string(known->second) +
                " and " + to_string(call.outcome));
  auto calls_of = [&](const member& m) {
    // A call that is still pending has no key yet; the member's position in its program tells.
    return static_cast<std::size_t>(
        std::count_if(m.calls.begin(), m.calls.end(), [&](const call_record& c) {
          return c.ended == never || (c.key == call.key && c.code != status_code::straggler_behind);
        }));
  };
  if (call.outcome.ok()) {
    const auto named = members_of_.find(call.key);
    for (std::uint32_t other = 0; other < options_.hosts; ++other)
      if ((named == members_of_.end() || named->second.contains(rank{other})) &&
          calls_of(members_[other]) < round)
        return fail("C7: released before rank " + std::to_string(other) +
                    " arrived: " + where(r, call, round));
    if (call.held && moved_[call.key] < options_.hosts)
      return fail("C15: released before all have their data: " + where(r, call, round));
    if (call.target && !call.held &&
        (call.result.frames.size() == options_.hosts) != (*call.target == r))
      return fail("C14: a gather at " + where(r, call, round) + " with " +
                  std::to_string(call.result.frames.size()) + " results");
    for (std::size_t i = 0; call.target && !call.held && i < call.result.frames.size(); ++i)
      if (call.result.frames[i].text() != "of " + std::to_string(i))
        return fail("C14: a gather out of order at " + where(r, call, round));
    if (!call.result.parts.empty() &&
        call.result.frames.at(0).text() != expression(0, 2 * options_.hosts))
      return fail("C9: wrong reduction at " + where(r, call, round));
  }
  if (call.code != status_code::deadline_exceeded || options_.link_cuts) return;
  if (call.held) return;  // its data, which it may lack, and not its arrival
  const auto asked = close_sent_.find(call.key);
  for (const auto late : call.outcome.missing().members())
    for (const auto& c : members_[late.value].calls)
      if (c.key == call.key && c.ended == now_ && asked != close_sent_.end() &&
          c.called < asked->second)
        return fail("C10: a rank that had arrived is named missing: " + where(late, c, round));
}

void virtual_cluster::check_end() {
  if (!broken_.empty()) return;
  for (std::uint32_t r = 0; r < options_.hosts; ++r) {
    const auto& m = members_[r];
    if (m.core->fenced()) continue;
    if (!m.program.empty())
      return fail("C11: rank " + std::to_string(r) + " did not get through its program");
    if (fenced_hosts() > 0) continue;
    const auto left = m.core->table_sizes();
    const auto untaken = options_.aborts ? 0 : left.untaken;
    if (left.instances + left.log + untaken + left.waiters != 0)
      return fail("C12: rank " + std::to_string(r) + " still remembers " +
                  std::to_string(left.instances) + " open, " + std::to_string(left.log) +
                  " logged, " + std::to_string(left.untaken) + " untaken operations");
  }
}

}  // namespace muster::testing
