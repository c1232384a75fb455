// multihost 1.3 and 2.4 to 2.7: barriers and what is said about them; groups; cancel and abort.
#include <muster/tests/rows/rows.hpp>

namespace muster::rows {
namespace {

std::vector<rank> ranks_with(const host& h, std::uint32_t remainder) {
  std::vector<rank> out;
  for (std::uint32_t r = remainder; r < h.world_size(); r += 2) out.push_back(rank{r});
  return out;
}

std::vector<rank> all_ranks(const host& h) {
  std::vector<rank> out;
  for (std::uint32_t r = 0; r < h.world_size(); ++r) out.push_back(rank{h.world_size() - 1 - r});
  return out;
}

operation_options among(std::span<const rank> group, duration hard = soon) {
  return {std::chrono::seconds(5), hard, group};
}

task<void> sync_with_one_name(host& h) {
  const auto launches = h.devices()[0].counters().launches;
  co_await h.sync_global_devices("test sync global devices", in_time);
  co_await h.sync_global_devices("", in_time);
  hold(h.devices()[0].counters().launches == launches, "no device is asked");
}

task<void> sync_with_another_name(host& h) {
  if (hosts(h) < 2) co_return;
  const auto outcome =
      co_await h.sync_global_devices(self(h) == 0 ? "test message" : "test message2", in_time)
          .as_result();
  ends(outcome.why(), status_code::mismatch, "'test message'", "'test message2'");
}

task<void> sync_with_names_of_one_crc32(host& h) {
  if (hosts(h) < 2) co_return;
  const auto outcome =
      co_await h.sync_global_devices(self(h) == 0 ? "plumless" : "buckeroo", in_time).as_result();
  ends(outcome.why(), status_code::mismatch, "'plumless'", "'buckeroo'");
}

task<void> another_operation(host& h) {
  if (hosts(h) < 2) co_return;
  const tree value(1);
  status why;
  if (self(h) == 0)
    why = (co_await h.sync_global_devices("step", in_time).as_result()).why();
  else
    why = (co_await h.process_allgather(value, {.hard = soon}).as_result()).why();
  ends(why, status_code::mismatch, "sync_global_devices 'step'", "process_allgather");
}

task<void> barriers_again_and_again(host& h) {
  for (const auto* name : {"1", "2", "1", "2", "1"}) co_await h.barrier(name, in_time);
}

task<void> barriers_in_any_order(host& h) {
  auto a = h.barrier("any order a", in_time), b = h.barrier("any order b", in_time);
  if (self(h) % 2 == 0) {
    co_await a;
    co_await b;
  } else {
    co_await b;
    co_await a;
  }
}

task<void> barrier_of_some(host& h) {
  const auto even = ranks_with(h, 0);
  if (self(h) % 2 == 0) co_await h.barrier("even", among(even));
}

task<void> barriers_of_two_halves(host& h) {
  if (hosts(h) < 2) co_return;
  const auto mine = ranks_with(h, static_cast<std::uint32_t>(self(h) % 2));
  co_await h.barrier(self(h) % 2 == 0 ? "even half" : "odd half", among(mine));
  for (int i = 0; i < 3; ++i) co_await h.sync_global_devices("in the half", among(mine));
  const tree own(self(h));
  const tree got = co_await h.process_allgather(own, {.hard = soon, .group = mine});
  same(got, arange<std::int64_t>(static_cast<std::int64_t>(mine.size()), self(h) % 2, 2),
       "the half's ranks");
}

task<void> group_of_everyone_is_the_world(host& h) {
  const auto everyone = all_ranks(h);
  if (self(h) == 0)
    co_await h.barrier("everyone", among(everyone));
  else
    co_await h.barrier("everyone", in_time);
  if (self(h) == 0)
    co_await h.sync_global_devices("everyone", among(everyone));
  else
    co_await h.sync_global_devices("everyone", in_time);
}

task<void> group_of_one(host& h) {
  const std::vector<rank> alone{h.rank()};
  co_await h.barrier("alone " + std::to_string(self(h)), among(alone));
  const tree own(self(h));
  same(co_await h.process_allgather(own, {.hard = soon, .group = alone}),
       arange<std::int64_t>(1, self(h)), "alone");
}

task<void> other_members(host& h) {
  if (hosts(h) < 3) co_return;
  const std::vector<rank> low{rank{0}, rank{1}}, high{rank{1}, rank{2}};
  if (self(h) < 2) {
    const auto outcome =
        co_await h.barrier("members", among(self(h) == 0 ? low : high)).as_result();
    ends(outcome.why(), status_code::mismatch, "among ranks 0-1", "among ranks 1-2");
  }
  // Rank 2 is left with the outcome of the round that it missed.
  co_await h.sync_global_devices("members differed", in_time);
  if (self(h) != 2) co_return;
  const auto outcome = co_await h.barrier("members", among(high)).as_result();
  ends(outcome.why(), status_code::mismatch, "among ranks 0-1");
}

// In the second round what strays is surely late: the first one has passed.
task<void> stray_caller(host& h) {
  if (hosts(h) < 2) co_return;
  const std::vector<rank> zero{rank{0}};
  for (int round = 0; round < 2; ++round) {
    const auto outcome = co_await h.barrier("stray", among(zero)).as_result();
    if (self(h) == 0)
      hold(outcome.ok(), "a stray caller disturbs nobody: " + to_string(outcome.why()));
    else
      ends(outcome.why(), status_code::invalid_argument,
           "rank " + std::to_string(self(h)) + " is not one of its members");
    co_await h.sync_global_devices("somebody has strayed", in_time);
  }
  if (self(h) == 0) co_await h.barrier("stray", among(zero));
}

task<void> members_that_do_not_exist(host& h) {
  const std::vector<rank> too_many{h.rank(), rank{h.world_size() + 60}};
  ends((co_await h.barrier("nobody", among(too_many)).as_result()).why(),
       status_code::invalid_argument, std::to_string(h.world_size() + 60));
  ends((co_await h.sync_global_devices("nobody", among(too_many)).as_result()).why(),
       status_code::invalid_argument, std::to_string(h.world_size() + 60));
  const std::vector<rank> twice{h.rank(), h.rank()};
  ends((co_await h.barrier("twice", among(twice)).as_result()).why(), status_code::invalid_argument,
       "twice");
}

task<void> absent_member(host& h) {
  if (hosts(h) < 2) co_return;
  const auto missing = last_rank(h);
  if (h.rank() != missing) {
    const auto outcome =
        co_await h.barrier("absent", among({}, std::chrono::milliseconds(300))).as_result();
    ends(outcome.why(), status_code::deadline_exceeded, "barrier 'absent'",
         "rank " + to_string(missing));
    hold(outcome.why().missing() == rank_set{missing}, "exactly who is missing");
  }
  // The late one gets the outcome of the round that it missed, and the next round is everyone's.
  co_await h.sync_global_devices("after the deadline", in_time);
  if (h.rank() == missing) {
    const auto outcome = co_await h.barrier("absent", in_time).as_result();
    ends(outcome.why(), status_code::deadline_exceeded, "rank " + to_string(missing));
  }
  co_await h.barrier("absent", in_time);
}

task<void> absent_member_of_a_group(host& h) {
  if (hosts(h) < 3) co_return;
  const std::vector<rank> low{rank{0}, rank{1}};
  if (self(h) == 0) {
    const auto outcome =
        co_await h.sync_global_devices("alone", among(low, std::chrono::milliseconds(300)))
            .as_result();
    ends(outcome.why(), status_code::deadline_exceeded, "1 of 2 ranks", "rank 1");
  }
  co_await h.sync_global_devices("after the group's deadline", in_time);
  if (self(h) != 1) co_return;
  // The number in the group was used up.
  const auto outcome = co_await h.sync_global_devices("alone", among(low)).as_result();
  ends(outcome.why(), status_code::deadline_exceeded, "rank 1");
}

task<void> cancel_in_every_round(host& h) {
  if (hosts(h) < 2) co_return;
  for (int round = 0; round < 3; ++round) {
    auto call = h.barrier("to be cancelled", in_time);
    if (h.rank() == last_rank(h)) {
      // Nobody is released before the last one has called, so the cancel is in time only where it comes first.
      call.cancel();
    }
    const auto outcome = co_await call.as_result();
    hold(outcome.ok() || outcome.why().code == status_code::cancelled, to_string(outcome.why()));
    const tree how(static_cast<std::int64_t>(outcome.why().code));
    co_await h.assert_equal(how, "one outcome at all hosts", in_time);
  }
}

task<void> cancel_while_one_is_missing(host& h) {
  if (hosts(h) < 2) co_return;
  const auto missing = last_rank(h);
  for (int round = 0; round < 3; ++round) {
    if (h.rank() != missing) {
      auto call = h.barrier("cancelled", in_time);
      if (self(h) == 0) call.cancel();
      ends((co_await call.as_result()).why(), status_code::cancelled, "rank 0 cancelled it");
    }
    co_await h.sync_global_devices("cancelled", in_time);
    if (h.rank() == missing)
      ends((co_await h.barrier("cancelled", in_time).as_result()).why(), status_code::cancelled,
           "rank 0 cancelled it");
  }
}

task<void> abort_of_an_open_barrier(host& h) {
  if (hosts(h) < 2) co_return;
  const auto missing = last_rank(h);
  if (h.rank() == missing) {
    const auto why = h.abort("to be aborted", "the data is corrupt");
    hold(why.ok(), to_string(why));
  }
  const auto outcome = co_await h.barrier("to be aborted", in_time).as_result();
  ends(outcome.why(), status_code::aborted, "the data is corrupt", "rank " + to_string(missing));
  co_await h.barrier("to be aborted", in_time);
}

task<void> abort_before_anyone_calls(host& h) {
  if (self(h) == 0) {
    const auto why = h.abort("early abort", "not today");
    hold(why.ok(), to_string(why));
  }
  co_await h.sync_global_devices("it is aborted", in_time);
  ends((co_await h.barrier("early abort", in_time).as_result()).why(), status_code::aborted,
       "not today");
  co_await h.barrier("early abort", in_time);
}

task<void> abort_for_a_group(host& h) {
  if (hosts(h) < 2) co_return;
  const std::vector<rank> zero{rank{0}};
  if (h.rank() == last_rank(h)) {
    const auto why = h.abort("group abort", "stop", among(zero));
    hold(why.ok(), to_string(why));
  }
  co_await h.sync_global_devices("the group's is aborted", in_time);
  if (self(h) == 0)
    ends((co_await h.barrier("group abort", among(zero)).as_result()).why(), status_code::aborted,
         "stop");
  co_await h.barrier("group abort", in_time);
}

task<void> calls_in_another_order(host& h) {
  if (hosts(h) < 2) co_return;
  const bool odd = h.rank() == last_rank(h);
  auto first = h.sync_global_devices(odd ? "b" : "a", in_time),
       second = h.sync_global_devices(odd ? "a" : "b", in_time);
  ends((co_await first.as_result()).why(), status_code::mismatch, "'a'", "'b'");
  ends((co_await second.as_result()).why(), status_code::mismatch, "'a'", "'b'");
}

task<void> names_beyond_the_limit(host& h) {
  const std::string name(limits::name_bytes_max + 1, 'x');
  ends((co_await h.barrier(name, in_time).as_result()).why(), status_code::invalid_argument,
       "1025 bytes");
  ends(h.abort(name, "x"), status_code::invalid_argument, "1025 bytes");
  co_await h.barrier(std::string(limits::name_bytes_max, 'x'), in_time);
}

}  // namespace

std::span<const row> of_names() {
  static constexpr row rows[] = {
      {"sync_global_devices", sync_with_one_name},
      {"sync_global_devices_with_another_name", sync_with_another_name},
      {"sync_global_devices_with_names_of_one_crc32", sync_with_names_of_one_crc32},
      {"another_operation", another_operation},
      {"calls_in_another_order", calls_in_another_order},
      {"barrier_again_and_again", barriers_again_and_again},
      {"barriers_in_any_order", barriers_in_any_order},
      {"barrier_of_some", barrier_of_some},
      {"barriers_of_two_halves", barriers_of_two_halves},
      {"group_of_everyone_is_the_world", group_of_everyone_is_the_world},
      {"group_of_one", group_of_one},
      {"barrier_with_other_members", other_members},
      {"barrier_of_a_stray_caller", stray_caller},
      {"barrier_with_members_that_do_not_exist", members_that_do_not_exist},
      {"barrier_with_an_absent_member", absent_member},
      {"ordered_operation_of_a_group_with_an_absent_member", absent_member_of_a_group},
      {"cancel_in_every_round", cancel_in_every_round},
      {"cancel_while_one_is_missing", cancel_while_one_is_missing},
      {"abort_of_an_open_barrier", abort_of_an_open_barrier},
      {"abort_before_anyone_calls", abort_before_anyone_calls},
      {"abort_for_a_group", abort_for_a_group},
      {"names_beyond_the_limit", names_beyond_the_limit},
  };
  return rows;
}

}  // namespace muster::rows
