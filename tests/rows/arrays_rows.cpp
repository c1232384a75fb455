// Reductions, gathers and broadcasts of arrays of devices.
#include <algorithm>
#include <array>

#include <muster/messages/values/half.hpp>
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

std::vector<std::int32_t> alternating(std::int64_t n) {
  std::vector<std::int32_t> out;
  for (std::int64_t i = 0; i < n; ++i) out.push_back(i % 2 == 0 ? -1 : 0);
  return out;
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
  const std::vector<array> signs(h.devices().size(), arange<std::int32_t>(2, -1));
  const auto all_signs = shaped(array::of(alternating(2 * all)), {all, 2});
  same(co_await h.all_gather(signs, {.tiled = false, .hard = soon}), all_signs, "with a sign");
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

/// These leaves, dealt out in turn to the devices of all hosts.
std::vector<device_cover> dealt(const host& h, const std::vector<array>& leaves) {
  std::vector<device_cover> out;
  for (std::uint32_t d = 0; d < h.devices().size(); ++d) {
    out.emplace_back(d, leaves.size(), leaves[0].dtype, leaves[0].shape);
    for (std::uint64_t leaf = h.first_device().value + d; leaf < leaves.size();
         leaf += h.device_count())
      out.back().add(leaf, leaves[leaf]);
  }
  return out;
}

/// Scalars of any type that an int can be made to.
template <class T>
std::vector<array> scalars(const std::vector<int>& values) {
  std::vector<array> out;
  for (const int v : values) {
    T number{};
    if constexpr (std::is_same_v<T, bfloat16>)
      number = to_bfloat16(static_cast<float>(v));
    else
      number = static_cast<T>(v);
    out.push_back(shaped(array::of(std::vector<T>{number}), {}));
  }
  return out;
}

template <class T>
task<void> reduces_to(host& h, std::vector<int> leaves, reduce_op how, int wanted) {
  const std::vector<int> one(1, wanted);
  const auto covers = dealt(h, scalars<T>(leaves));
  same(co_await h.all_reduce(covers, how, in_time), scalars<T>(one)[0], to_string(how));
}

task<void> small_types(host& h) {
  const std::vector<int> eight{1, 2, 3, 4, 5, 6, 7, 8}, some{1, 0, 0, 1, 0, 0, 0, 1};
  co_await reduces_to<bfloat16>(h, eight, reduce_op::sum, 36);
  co_await reduces_to<std::int32_t>(h, eight, reduce_op::sum, 36);
  co_await reduces_to<std::int8_t>(h, eight, reduce_op::sum, 36);
  co_await reduces_to<bool>(h, some, reduce_op::bit_and, 0);
  co_await reduces_to<bool>(h, some, reduce_op::bit_or, 1);
}

// Sums of which the second depends on the first, and two that nobody waits between: neither are they one sum.
task<void> sums_are_not_merged(host& h) {
  const std::vector<array> ones(32, array::of(std::vector<float>(1, 1)));
  const auto before = dealt(h, ones);
  const auto sum = co_await h.all_reduce(before, reduce_op::sum, in_time);
  const float grown = 1 + 1 + sum.copy_elements<float>().at(0);
  const std::vector<array> later(32, array::of(std::vector<float>(1, grown)));
  const auto after = dealt(h, later);
  same(co_await h.all_reduce(after, reduce_op::sum, in_time), arange<float>(1, 1'088),
       "32 (1 + 1 + 32)");
  const std::vector<array> rows(8, arange<float>(2, 1)), reversed(8, arange<float>(2, 2, -1));
  const auto up = dealt(h, rows), down = dealt(h, reversed);
  auto first = h.all_reduce(up, reduce_op::sum, in_time),
       second = h.all_reduce(down, reduce_op::sum, in_time),
       third = h.all_reduce(down, reduce_op::mean, in_time);
  same(co_await third, arange<float>(2, 2, -1), "(2, 1)");
  same(co_await second, arange<float>(2, 16, -8), "(16, 8)");
  same(co_await first, arange<float>(2, 8, 8), "(8, 16)");
}

// 256 + 7 in bf16 stays 256 where a partial is rounded on its way.
task<void> bf16_is_added_alike_everywhere(host& h) {
  std::vector<array> leaves;
  for (int leaf = 0; leaf < 8; ++leaf)
    leaves.push_back(array::of(std::vector<bfloat16>(40, to_bfloat16(leaf == 0 ? 256.F : 1.F))));
  const auto covers = dealt(h, leaves);
  const auto wanted = array::of(std::vector<bfloat16>(40, to_bfloat16(264)));
  same(co_await h.all_reduce(covers, reduce_op::sum, in_time), wanted, "all_reduce");
  const auto at_zero = co_await h.reduce(covers, reduce_op::sum, to(rank{0}));
  if (at_zero) same(*at_zero, wanted, "reduce");
  const auto shards = co_await h.reduce_scatter(covers, reduce_op::sum, in_time);
  for (const auto& shard : shards)
    for (const auto element : shard.copy_elements<bfloat16>())
      hold(element == to_bfloat16(264), "reduce_scatter");
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
      {"all_reduce_of_small_types", small_types},
      {"all_reduces_are_not_merged", sums_are_not_merged},
      {"reductions_of_bf16_are_alike", bf16_is_added_alike_everywhere},
  };
  return rows;
}

}  // namespace muster::rows
