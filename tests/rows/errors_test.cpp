// What each collective says when it can't be done, in a virtual world of four hosts with two devices each. All of it stands
// in errors.golden, which is for people to read as well.
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <muster/runtime/simulation/simulation.hpp>
#include <muster/tests/rows/rows.hpp>
#include <muster/tests/seeds/golden.hpp>

namespace muster::rows {
namespace {

using namespace std::chrono_literals;

struct trial {
  std::string what;
  std::function<task<status>(host&)> call;
};

template <class T>
task<status> how(op<T> call) {
  const auto outcome = co_await call.as_result();
  co_return outcome.why();
}
task<status> at_once(status why) { co_return why; }

bool last(const host& h) { return h.rank() == last_rank(h); }

tree pair(array b) {
  tree t;
  t.set("a", 1).set("b", std::move(b));
  return t;
}

std::vector<device_cover> covers(const host& h, array value) {
  std::vector<device_cover> out{device_cover(0, h.world_size())};
  out[0].add(h.rank().value, std::move(value));
  return out;
}

operation_options within(duration hard, std::span<const rank> group = {}) {
  return {hard, hard, group};
}

const std::vector<rank> low{rank{0}, rank{1}}, twice{rank{0}, rank{0}},
    beyond{rank{0}, rank{1}, rank{2}, rank{3}, rank{9}};

const std::vector<trial> barriers{
    {"barrier: one host is missing",
     [](host& h) { return last(h) ? at_once({}) : how(h.barrier("epoch", within(1s))); }},
    {"barrier: hosts wait in two of them",
     [](host& h) { return how(h.barrier(last(h) ? "b" : "a", within(1s))); }},
    {"barrier: called again while it is pending",
     [](host& h) {
       auto first = h.barrier("x", within(1s));
       return how(h.barrier("x", within(1s)));
     }},
    {"barrier: members differ",
     [](host& h) {
       return h.rank().value > 1
                  ? at_once({})
                  : how(h.barrier("m",
                                  within(1s, h.rank() == rank{0} ? low : std::span<const rank>{})));
     }},
    {"barrier: by a host that is no member",
     [](host& h) { return how(h.barrier("low", within(1s, low))); }},
    {"barrier: a member is given twice",
     [](host& h) { return how(h.barrier("t", within(1s, twice))); }},
    {"barrier: a member that does not exist",
     [](host& h) { return how(h.barrier("b", within(1s, beyond))); }},
    {"barrier: a long name",
     [](host& h) { return how(h.barrier(std::string(1'025, 'x'), within(1s))); }},
    {"barrier: aborted",
     [](host& h) {
       if (last(h)) return at_once(h.abort("step", "loss is NaN"));
       return how(h.barrier("step", within(1s)));
     }},
    {"barrier: cancelled",
     [](host& h) {
       auto call = h.barrier("step 2", within(1s));
       if (last(h)) call.cancel();
       return how(std::move(call));
     }},
    {"abort: a long name",
     [](host& h) { return at_once(h.abort(std::string(1'025, 'x'), "why")); }},
    {"sync_global_devices: names differ",
     [](host& h) { return how(h.sync_global_devices(last(h) ? "save" : "restore", within(1s))); }},
    {"sync_global_devices: another operation",
     [](host& h) {
       const tree one(1);
       return last(h) ? how(h.process_allgather(one))
                      : how(h.sync_global_devices("restore", within(1s)));
     }},
    {"sync_global_devices: another host leaves",
     [](host& h) {
       return last(h) ? how(h.leave()) : how(h.sync_global_devices("one more", within(10s)));
     }},
};

const std::vector<trial> trees{
    {"broadcast_one_to_all: no source",
     [](host& h) { return how(h.broadcast_one_to_all(tree{}, {.hard = 1s, .is_source = false})); }},
    {"broadcast_one_to_all: two sources",
     [](host& h) {
       return how(
           h.broadcast_one_to_all(tree(1), {.hard = 1s, .is_source = h.rank().value % 2 == 0}));
     }},
    {"broadcast_one_to_all: hosts name two sources",
     [](host& h) {
       return how(
           h.broadcast_one_to_all(tree(1), {.source = last(h) ? rank{3} : rank{0}, .hard = 1s}));
     }},
    {"broadcast_one_to_all: the source gives nothing",
     [](host& h) { return how(h.broadcast_one_to_all({.source = h.rank(), .hard = 1s})); }},
    {"broadcast_one_to_all: a source that does not exist",
     [](host& h) { return how(h.broadcast_one_to_all({.source = rank{9}, .hard = 1s})); }},
    {"broadcast_one_to_all: unlike trees",
     [](host& h) {
       return how(h.broadcast_one_to_all(pair(arange<float>(last(h) ? 3 : 2)), {.hard = 1s}));
     }},
    {"broadcast_one_to_all: a tree that can't travel",
     [](host& h) {
       const tree bad(array{dtype::f32, {3}, {}});
       return how(h.broadcast_one_to_all(bad, {.hard = 1s}));
     }},
    {"process_allgather: another shape",
     [](host& h) {
       return how(h.process_allgather(pair(arange<float>(last(h) ? 3 : 2)), {.hard = 1s}));
     }},
    {"process_allgather: another dtype",
     [](host& h) {
       return how(
           h.process_allgather(pair(last(h) ? arange<double>(2) : arange<float>(2)), {.hard = 1s}));
     }},
    {"process_allgather: another key",
     [](host& h) {
       tree t = pair(arange<float>(2));
       if (last(h)) t.set("c", 1);
       return how(h.process_allgather(t, {.hard = 1s}));
     }},
    {"process_allgather: many differences",
     [](host& h) {
       tree t;
       for (int i = 0; i < 9; ++i)
         t.set("leaf " + std::to_string(i), last(h) ? tree(i) : tree("text"));
       return how(h.process_allgather(t, {.hard = 1s}));
     }},
    {"assert_equal: values differ",
     [](host& h) {
       return how(h.assert_equal(pair(arange<float>(2, last(h) ? 1.0F : 0.0F)),
                                 "parameters after step 7", within(1s)));
     }},
    {"assert_equal: scalars differ",
     [](host& h) {
       tree t;
       t.set("lr", last(h) ? 0.1 : std::nextafter(0.1, 1.0))
           .set("step", last(h) ? 7 : 8)
           .set("tag", last(h) ? "a" : "bb");
       return how(h.assert_equal(t, "config", within(1s)));
     }},
    {"gather: a target that does not exist",
     [](host& h) { return how(h.gather(tree(1), {.target = rank{9}, .hard = 1s})); }},
    {"gather: hosts name two targets",
     [](host& h) {
       return how(h.gather(tree(1), {.target = last(h) ? rank{1} : rank{0}, .hard = 1s}));
     }},
};

const std::vector<trial> arrays{
    {"all_reduce: another reduction",
     [](host& h) {
       return how(h.all_reduce(covers(h, arange<float>(2)),
                               last(h) ? reduce_op::max : reduce_op::sum, within(1s)));
     }},
    {"all_reduce: another shape",
     [](host& h) {
       return how(
           h.all_reduce(covers(h, arange<float>(last(h) ? 3 : 2)), reduce_op::sum, within(1s)));
     }},
    {"all_reduce: a mean of integers",
     [](host& h) {
       return how(h.all_reduce(covers(h, arange<int>(2)), reduce_op::mean, within(1s)));
     }},
    {"all_reduce: a leaf that nobody gives",
     [](host& h) {
       const std::vector<device_cover> none{device_cover(0, 4, dtype::f32, {2})};
       return how(
           h.all_reduce(last(h) ? none : covers(h, arange<float>(2)), reduce_op::sum, within(1s)));
     }},
    {"all_reduce: a leaf that two hosts give",
     [](host& h) {
       std::vector<device_cover> same{device_cover(0, 4)};
       same[0].add(0, arange<float>(2));
       return how(h.all_reduce(same, reduce_op::sum, within(1s)));
     }},
    {"all_reduce: no cover",
     [](host& h) { return how(h.all_reduce({}, reduce_op::sum, within(1s))); }},
    {"all_reduce: a device that does not exist",
     [](host& h) {
       const std::vector<device_cover> far{device_cover(2, 4, dtype::f32, {2})};
       return how(h.all_reduce(far, reduce_op::sum, within(1s)));
     }},
    {"reduce_scatter: no dimension",
     [](host& h) {
       return how(
           h.reduce_scatter(covers(h, shaped(arange<float>(1), {})), reduce_op::sum, within(1s)));
     }},
    {"all_gather: nothing", [](host& h) { return how(h.all_gather({}, {.hard = 1s})); }},
    {"all_gather: unlike arrays at one host",
     [](host& h) {
       return how(h.all_gather(std::vector{arange<float>(2), arange<float>(3)}, {.hard = 1s}));
     }},
    {"all_gather: unlike arrays at two hosts",
     [](host& h) {
       return how(h.all_gather(std::vector{arange<float>(last(h) ? 3 : 2)}, {.hard = 1s}));
     }},
    {"broadcast: a device that does not exist",
     [](host& h) { return how(h.broadcast(std::nullopt, device_index{8}, within(1s))); }},
    {"broadcast: the source gives nothing",
     [](host& h) { return how(h.broadcast(std::nullopt, h.first_device(), within(1s))); }},
};

/// Each outcome with the ranks that it ended with.
std::string outcome_of(const trial& t) {
  simulation_options o;
  o.devices_per_host = 2;
  simulation world(o);
  std::vector<status> ended(world.world_size());
  world.start_everywhere(
      [&](host& h) -> task<void> { ended[h.rank().value] = co_await t.call(h); });
  EXPECT_EQ(to_string(world.run()), to_string(status{})) << t.what;
  std::string out = "\n" + t.what + "\n";
  std::map<std::string, rank_set> groups;
  for (std::uint32_t r = 0; r < ended.size(); ++r) groups[to_string(ended[r])].insert(rank{r});
  for (const auto& [text, ranks] : groups)
    out += "  " + std::string(ranks.size() == 1 ? "rank " : "ranks ") + to_string(ranks) +
           "\n    " + text + "\n";
  return out;
}

TEST(CollectiveErrors, AreThoseOfTheGoldenFile) {
  std::string seen =
      "What collectives end with when they can't be done, at four hosts with two devices each.\n";
  for (const auto* part : {&barriers, &trees, &arrays})
    for (const auto& t : *part) seen += outcome_of(t);
  testing::expect_golden(seen, COLLECTIVE_ERRORS_FILE, "build/tests/rows/rows_test");
}

}  // namespace
}  // namespace muster::rows
