// multihost 2.4 to 2.7 and must-beat 7.4: which round a call belongs to, when members are late, quick or somewhere else.
#include <optional>

#include <muster/tests/rows/rows.hpp>

namespace muster::rows {
namespace {

/// Of what is meant to fail. Members begin it together, so that none but who stays away is late.
constexpr operation_options soon_over{std::chrono::milliseconds(100),
                                      std::chrono::milliseconds(300)};

bool is_last(const host& h) { return h.rank() == last_rank(h); }
std::string the_last(const host& h) { return "rank " + to_string(last_rank(h)); }

task<void> barrier_called_twice(host& h) {
  if (hosts(h) < 2) co_return;
  if (is_last(h)) {
    co_await h.sync_global_devices("they have called twice", in_time);
    co_await h.barrier("twice", in_time);
  } else {
    auto first = h.barrier("twice", in_time);
    const auto second = co_await h.barrier("twice", in_time).as_result();
    ends(second.why(), status_code::invalid_argument, "already pending");
    co_await h.sync_global_devices("they have called twice", in_time);
    co_await first;
  }
}

task<void> barrier_that_has_passed(host& h) {
  co_await h.barrier("passed", in_time);
  if (hosts(h) < 2) co_return;
  if (!is_last(h)) {
    const auto outcome = co_await h.barrier("passed", soon_over).as_result();
    ends(outcome.why(), status_code::deadline_exceeded, the_last(h));
  }
  co_await h.barrier("they have called it again", in_time);
  if (is_last(h))
    ends((co_await h.barrier("passed", in_time).as_result()).why(), status_code::deadline_exceeded);
  co_await h.barrier("passed", in_time);
}

task<void> barrier_missed_twice(host& h) {
  if (hosts(h) < 2) co_return;
  for (int round = 0; round < 2 && !is_last(h); ++round)
    ends((co_await h.barrier("missed", soon_over).as_result()).why(),
         status_code::deadline_exceeded, the_last(h));
  co_await h.sync_global_devices("it was missed twice", in_time);
  for (int round = 0; round < 2 && is_last(h); ++round)
    ends((co_await h.barrier("missed", in_time).as_result()).why(), status_code::deadline_exceeded,
         the_last(h));
  co_await h.barrier("missed", in_time);
}

task<void> barriers_that_cross(host& h) {
  if (hosts(h) < 2) co_return;
  const char *mine = is_last(h) ? "cross y" : "cross x",
             *other = is_last(h) ? "cross x" : "cross y";
  const rank_set last{last_rank(h)};
  const auto rest = rank_set::of_range(rank{0}, rank{last_rank(h).value - 1});
  co_await h.sync_global_devices("to the crossing", in_time);
  const auto here = co_await h.barrier(mine, soon_over).as_result();
  ends(here.why(), status_code::deadline_exceeded, mine);
  hold(here.why().missing() == (is_last(h) ? rest : last), to_string(here.why()));
  co_await h.sync_global_devices("they have crossed", in_time);
  const auto there = co_await h.barrier(other, in_time).as_result();
  ends(there.why(), status_code::deadline_exceeded, other);
  co_await h.barrier("cross x", in_time);
  co_await h.barrier("cross y", in_time);
}

task<void> barrier_of_other_members_once_it_has_passed(host& h) {
  std::vector<rank> mine;
  for (auto r = h.rank().value % 2; r < h.world_size(); r += 2) mine.push_back(rank{r});
  const operation_options among_mine{in_time.soft, in_time.hard, mine};
  if (self(h) % 2 == 0) co_await h.barrier("in turns", among_mine);
  co_await h.sync_global_devices("the even ones have passed", in_time);
  if (self(h) % 2 == 1) co_await h.barrier("in turns", among_mine);
}

// ---- ordered operations

template <class T>
task<status> ended(op<T> call, bool cancelled) {
  if (cancelled) call.cancel();
  const auto outcome = co_await call.as_result();
  co_return outcome.why();
}

constexpr int ordered_kinds = 9;

/// One of each kind that is ordered. What it moves doesn't matter.
task<status> ordered_operation(const host& h, int kind, operation_options o, bool cancelled) {
  const tree value(1);
  std::vector<device_cover> leaf{device_cover(0, h.world_size())};
  leaf[0].add(h.rank().value, arange<float>(8));
  const std::vector<array> one{arange<float>(8)};
  std::optional<array> given;
  if (h.rank() == rank{0}) given = one[0];
  const target_options to_zero{rank{0}, o.soft, o.hard};
  switch (kind) {
    case 0: return ended(h.sync_global_devices("ordered", o), cancelled);
    case 1: return ended(h.broadcast_one_to_all(value, {rank{0}, o.soft, o.hard}), cancelled);
    case 2: return ended(h.process_allgather(value, {false, o.soft, o.hard}), cancelled);
    case 3: return ended(h.assert_equal(value, "ordered", o), cancelled);
    case 4: return ended(h.gather(value, to_zero), cancelled);
    case 5: return ended(h.all_reduce(leaf, reduce_op::sum, o), cancelled);
    case 6: return ended(h.reduce_scatter(leaf, reduce_op::sum, o), cancelled);
    case 7: return ended(h.all_gather(one, {false, o.soft, o.hard}), cancelled);
    default: return ended(h.broadcast(given, device_index{0}, o), cancelled);
  }
}

task<void> ordered_operations_with_a_straggler(host& h) {
  if (hosts(h) < 2) co_return;
  for (int kind = 0; kind < ordered_kinds; ++kind) {
    co_await h.barrier("all but one begin", in_time);
    if (!is_last(h)) {
      const auto why = co_await ordered_operation(h, kind, soon_over, false);
      ends(why, status_code::deadline_exceeded, the_last(h));
      hold(why.missing() == rank_set{last_rank(h)}, "exactly who is missing");
    }
    co_await h.barrier("the straggler may come", in_time);
    if (is_last(h))
      ends(co_await ordered_operation(h, kind, in_time, false), status_code::deadline_exceeded,
           the_last(h));
  }
}

task<void> ordered_operations_that_are_cancelled(host& h) {
  if (hosts(h) < 2) co_return;
  for (int kind = 0; kind < ordered_kinds; ++kind) {
    if (!is_last(h))
      ends(co_await ordered_operation(h, kind, in_time, self(h) == 0), status_code::cancelled,
           "rank 0 cancelled it");
    co_await h.barrier("it is cancelled", in_time);
    if (is_last(h))
      ends(co_await ordered_operation(h, kind, in_time, false), status_code::cancelled,
           "rank 0 cancelled it");
  }
}

}  // namespace

std::span<const row> of_rounds() {
  static constexpr row rows[] = {
      {"barrier_called_twice", barrier_called_twice},
      {"barrier_that_has_passed", barrier_that_has_passed},
      {"barrier_missed_twice", barrier_missed_twice},
      {"barriers_that_cross", barriers_that_cross},
      {"barrier_of_other_members_once_it_has_passed", barrier_of_other_members_once_it_has_passed},
      {"ordered_operations_with_a_straggler", ordered_operations_with_a_straggler},
      {"ordered_operations_that_are_cancelled", ordered_operations_that_are_cancelled},
  };
  return rows;
}

}  // namespace muster::rows
