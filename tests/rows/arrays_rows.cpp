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

// ---- what is too large to travel with its message

array large_leaf(dtype type, std::uint64_t leaf, std::int64_t n) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(n) * size_of(type));
  std::uint64_t state = leaf * 0x9e37'79b9'7f4a'7c15u + 1;
  for (auto& b : bytes) {
    state = state * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
    b = static_cast<std::uint8_t>(state >> 33) & (type == dtype::boolean ? 1 : 0xff);
  }
  return {type, {n}, payload::adopt(std::move(bytes))};
}

/// The same reduction in pieces small enough to travel inline: element by element it is the same order.
task<void> large_reductions(host& h, op_kind kind, reduce_op how, dtype type, std::int64_t n) {
  const std::uint64_t leaves = 3 * h.device_count() + 1;
  std::vector<device_cover> covers;
  for (std::uint32_t d = 0; d < h.devices().size(); ++d) {
    covers.emplace_back(d, leaves, type, shape_vector{n});
    for (auto leaf = h.first_device().value + d + std::uint64_t{0}; leaf < leaves;
         leaf += h.device_count())
      covers.back().add(leaf, large_leaf(type, leaf, n));
  }
  const auto whole = co_await h.all_reduce(covers, how, in_time);
  constexpr std::int64_t each = 1'000;
  std::vector<std::byte> expected;
  for (std::int64_t first = 0; first < n; first += each) {
    const auto size = std::min(each, n - first);
    std::vector<device_cover> cut;
    for (const auto& cover : covers) {
      cut.emplace_back(cover.device(), leaves, type, shape_vector{size});
      for (const auto& [leaf, value] : cover.leaves())
        cut.back().add(leaf,
                       array{type,
                             {size},
                             value.data.part(static_cast<std::size_t>(first) * size_of(type),
                                             static_cast<std::size_t>(size) * size_of(type))});
    }
    const auto piece = co_await h.all_reduce(cut, how, in_time);
    expected.insert(expected.end(), piece.data.bytes().begin(), piece.data.bytes().end());
  }
  const array wanted{whole.dtype, {n}, payload::adopt(std::move(expected))};
  same(whole, wanted, "a large reduction");
  if (kind == op_kind::reduce) {
    const auto at_last = co_await h.reduce(covers, how, to(last_rank(h)));
    hold(at_last.has_value() == (h.rank() == last_rank(h)), "only the target has it");
    if (at_last) same(*at_last, wanted, "a large reduce");
  }
  if (kind == op_kind::reduce_scatter) {
    const auto shards = co_await h.reduce_scatter(covers, how, in_time);
    std::int64_t devices = h.device_count(), rows = (n + devices - 1) / devices;
    for (std::size_t d = 0; d < shards.size(); ++d) {
      const auto index = static_cast<std::int64_t>(h.first_device().value + d);
      const auto from = std::min(index * rows, n), until = std::min((index + 1) * rows, n);
      const auto bytes = static_cast<std::size_t>(wanted.data.size() / static_cast<std::size_t>(n));
      same(shards[d],
           array{wanted.dtype,
                 {until - from},
                 wanted.data.part(static_cast<std::size_t>(from) * bytes,
                                  static_cast<std::size_t>(until - from) * bytes)},
           "a large shard");
    }
  }
}

task<void> large_all_reduce(host& h) {
  co_await large_reductions(h, op_kind::all_reduce, reduce_op::sum, dtype::f32, 20'001);
  co_await large_reductions(h, op_kind::all_reduce, reduce_op::mean, dtype::bf16, 40'000);
  co_await large_reductions(h, op_kind::all_reduce, reduce_op::argmax, dtype::i8, 9'999);
  co_await large_reductions(h, op_kind::all_reduce, reduce_op::norm, dtype::f64, 10'000);
  co_await large_reductions(h, op_kind::all_reduce, reduce_op::bit_or, dtype::boolean, 70'000);
}

task<void> large_reduce(host& h) {
  co_await large_reductions(h, op_kind::reduce, reduce_op::prod, dtype::f16, 20'000);
}

task<void> large_reduce_scatter(host& h) {
  co_await large_reductions(h, op_kind::reduce_scatter, reduce_op::min, dtype::f64, 10'007);
}

task<void> large_reduction_with_a_leaf_missing(host& h) {
  std::vector<device_cover> covers{device_cover(0, h.world_size() + 1)};
  covers[0].add(static_cast<std::uint64_t>(self(h)), large_leaf(dtype::f32, 1, 50'000));
  const auto outcome = co_await h.all_reduce(covers, reduce_op::sum, in_time).as_result();
  ends(outcome.why(), status_code::invalid_argument, "nobody gives leaves");
}

task<void> large_all_gather(host& h) {
  std::vector<array> own;
  for (std::size_t d = 0; d < h.devices().size(); ++d)
    own.push_back(arange<std::int32_t>(
        40'000, static_cast<std::int32_t>(40'000 * (h.first_device().value + d))));
  const auto wanted = arange<std::int32_t>(40'000 * static_cast<std::int64_t>(h.device_count()));
  same(co_await h.all_gather(own, {.tiled = true, .hard = soon}), wanted, "tiled");
}

task<void> large_broadcast(host& h) {
  for (std::uint32_t d = 0; d < h.device_count(); d += 3) {
    const auto local = d - h.first_device().value;
    std::optional<array> given;
    if (d >= h.first_device().value && local < h.devices().size())
      given = arange<double>(300'000, d);
    same(co_await h.broadcast(given, device_index{d}, in_time), arange<double>(300'000, d),
         "2.4 MB");
  }
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
      {"large_all_reduce", large_all_reduce},
      {"large_reduce", large_reduce},
      {"large_reduce_scatter", large_reduce_scatter},
      {"large_reduction_with_a_leaf_missing", large_reduction_with_a_leaf_missing},
      {"large_all_gather", large_all_gather},
      {"large_broadcast", large_broadcast},
      {"all_reduce_of_small_types", small_types},
      {"all_reduces_are_not_merged", sums_are_not_merged},
      {"reductions_of_bf16_are_alike", bf16_is_added_alike_everywhere},
  };
  return rows;
}

}  // namespace muster::rows
