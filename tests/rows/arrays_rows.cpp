// Reductions, gathers and broadcasts of arrays of devices.
#include <algorithm>
#include <array>

#include <muster/tests/rows/rows.hpp>

namespace muster::rows {
namespace {

constexpr target_options to(rank target) { return {target, std::chrono::seconds(5), soon, {}}; }

/// One leaf per device: element j of device d is 10 d + j.
std::vector<device_cover> own_covers(const host& h, std::int64_t n) {
  std::vector<device_cover> out;
  for (std::uint32_t d = 0; d < h.devices().size(); ++d) {
    const auto index = h.first_device().value + d;
    out.emplace_back(d, h.device_count());
    out.back().add(index, arange<std::int32_t>(n, static_cast<std::int32_t>(10 * index)));
  }
  return out;
}

array sum_of_all(const host& h, std::int64_t n) {
  const auto d = static_cast<std::int32_t>(h.device_count());
  return arange<std::int32_t>(n, 10 * d * (d - 1) / 2, d);
}

task<void> all_reduce_of_devices(host& h) {
  const auto covers = own_covers(h, 5);
  same(co_await h.all_reduce(covers, reduce_op::sum, in_time), sum_of_all(h, 5),
       "the sum everywhere");
}

task<void> reduce_to_every_rank(host& h) {
  for (std::uint32_t target = 0; target < h.world_size(); ++target) {
    const auto covers = own_covers(h, 3);
    const auto got = co_await h.reduce(covers, reduce_op::sum, to(rank{target}));
    hold(got.has_value() == (h.rank() == rank{target}), "only the target has it");
    if (got) same(*got, sum_of_all(h, 3), "the sum");
  }
}

task<void> reduce_scatter_over_devices(host& h) {
  constexpr std::array<std::int64_t, 5> sizes{0, 1, 5, 8, 17};
  for (const auto rows : sizes) {
    const auto covers = own_covers(h, rows);
    const auto got = co_await h.reduce_scatter(covers, reduce_op::sum, in_time);
    hold(got.size() == h.devices().size(), "a shard per local device");
    const auto whole = sum_of_all(h, rows).copy_elements<std::int32_t>();
    const auto all = static_cast<std::int64_t>(h.device_count());
    const auto each = (rows + all - 1) / all;
    for (std::size_t d = 0; d < got.size(); ++d) {
      const auto index = static_cast<std::int64_t>(h.first_device().value + d);
      const auto first = std::min(index * each, rows), last = std::min((index + 1) * each, rows);
      same(got[d],
           array::of(std::vector<std::int32_t>(whole.begin() + first, whole.begin() + last)),
           "a shard");
    }
  }
  const std::vector<device_cover> scalar{device_cover(0, 1, dtype::f32, {})};
  const auto outcome = co_await h.reduce_scatter(scalar, reduce_op::sum, in_time).as_result();
  ends(outcome.why(), status_code::invalid_argument, "without dimensions");
}

task<void> all_gather_of_devices(host& h) {
  std::vector<array> own;
  for (std::size_t d = 0; d < h.devices().size(); ++d)
    own.push_back(
        arange<std::uint16_t>(3, static_cast<std::uint16_t>(3 * (h.first_device().value + d))));
  const std::int64_t all = h.device_count();
  const auto wanted = arange<std::uint16_t>(3 * all), rows = shaped(wanted, {all, 3});
  same(co_await h.all_gather(own, {.tiled = true, .hard = soon}), wanted, "tiled");
  same(co_await h.all_gather(own, {.tiled = false, .hard = soon}), rows, "stacked");
  const std::span<const array> nothing;
  const auto none = co_await h.all_gather(nothing, {.hard = soon}).as_result();
  ends(none.why(), status_code::invalid_argument, "at least one array");
}

task<void> all_gather_of_unlike_arrays(host& h) {
  if (hosts(h) < 2) co_return;
  const std::vector<array> own{arange<float>(h.rank() == last_rank(h) ? 3 : 2)};
  const auto outcome = co_await h.all_gather(own, {.hard = soon}).as_result();
  ends(outcome.why(), status_code::mismatch, "f32 (2,)", "f32 (3,)",
       "rank " + to_string(last_rank(h)));
}

task<void> broadcast_from_every_device(host& h) {
  for (std::uint32_t d = 0; d < h.device_count(); ++d) {
    const auto local = d - h.first_device().value;
    const bool ours = d >= h.first_device().value && local < h.devices().size();
    std::optional<array> given;
    if (ours) given = arange<double>(4, d);
    same(co_await h.broadcast(given, device_index{d}, in_time), arange<double>(4, d),
         "from that device");
  }
  const std::optional<array> none;
  const auto outcome =
      co_await h.broadcast(none, device_index{h.device_count()}, in_time).as_result();
  ends(outcome.why(), status_code::invalid_argument, "device " + std::to_string(h.device_count()));
}

task<void> leaves_that_nobody_gives(host& h) {
  const std::vector<device_cover> covers{device_cover(0, 3, dtype::f32, {2})};
  const auto outcome = co_await h.all_reduce(covers, reduce_op::sum, in_time).as_result();
  ends(outcome.why(), status_code::invalid_argument, "leaves");
}

task<void> unlike_reductions(host& h) {
  if (hosts(h) < 2) co_return;
  std::vector<device_cover> covers{device_cover(0, h.world_size())};
  covers[0].add(static_cast<std::uint64_t>(self(h)), arange<float>(2));
  const auto how = h.rank() == last_rank(h) ? reduce_op::max : reduce_op::sum;
  const auto outcome = co_await h.all_reduce(covers, how, in_time).as_result();
  ends(outcome.why(), status_code::mismatch, "all_reduce sum", "all_reduce max");
}

}  // namespace

std::span<const row> of_arrays() {
  static constexpr row rows[] = {
      {"all_reduce_of_devices", all_reduce_of_devices},
      {"reduce_to_every_rank", reduce_to_every_rank},
      {"reduce_scatter_over_devices", reduce_scatter_over_devices},
      {"all_gather_of_devices", all_gather_of_devices},
      {"all_gather_of_unlike_arrays", all_gather_of_unlike_arrays},
      {"broadcast_from_every_device", broadcast_from_every_device},
      {"all_reduce_of_leaves_that_nobody_gives", leaves_that_nobody_gives},
      {"all_reduce_of_unlike_reductions", unlike_reductions},
  };
  return rows;
}

}  // namespace muster::rows
