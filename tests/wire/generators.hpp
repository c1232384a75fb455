// RapidCheck generators of everything that a control message is made of, within the limits of the
// wire.
#pragma once

#include <rapidcheck.h>

#include <muster/messages/values/control.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster::any {

inline rank a_rank() { return rank{*rc::gen::inRange<std::uint32_t>(0, limits::world_size_max)}; }

inline std::string text() { return *rc::gen::arbitrary<std::string>(); }

inline duration a_duration() {
  return duration{*rc::gen::inRange<std::int64_t>(0, duration::max().count())};
}

inline std::size_t count() { return *rc::gen::inRange<std::size_t>(0, 4); }

template <class Make>
auto several(Make make) {
  std::vector<decltype(make())> out;
  for (std::size_t n = count(); n != 0; --n) out.push_back(make());
  return out;
}

inline rank_set ranks() {
  rank_set out;
  for (std::size_t n = count(); n != 0; --n) {
    const rank first = a_rank();
    out.insert_range(first, rank{std::min(first.value + *rc::gen::inRange<std::uint32_t>(0, 9),
                                          limits::world_size_max - 1)});
  }
  return out;
}

inline op_kind kind() {
  return *rc::gen::element(op_kind::join, op_kind::leave, op_kind::barrier,
                           op_kind::sync_global_devices, op_kind::broadcast_one_to_all,
                           op_kind::all_reduce, op_kind::process_allgather, op_kind::assert_equal,
                           op_kind::gather, op_kind::reduce, op_kind::reduce_scatter,
                           op_kind::all_gather, op_kind::broadcast);
}

inline operation_key key() {
  const op_kind k = kind();
  if (is_named(k)) return named_key{k, text()};
  return ordered_key{*rc::gen::inRange<std::uint64_t>(1, ~std::uint64_t{0})};
}

inline deadlines remaining() { return {a_duration(), a_duration()}; }

inline signature said() {
  signature s;
  s.kind = kind();
  s.name = text();
  if (*rc::gen::arbitrary<bool>()) s.source = a_rank();
  if (*rc::gen::arbitrary<bool>()) s.target = a_rank();
  s.leaf_count = *rc::gen::arbitrary<std::uint64_t>();
  s.members = ranks();
  if (*rc::gen::arbitrary<bool>()) s.outline = payload::copy_of(std::string_view(text()));
  if (*rc::gen::arbitrary<bool>())
    s.reduce =
        *rc::gen::element(reduce_op::sum, reduce_op::mean, reduce_op::argmax, reduce_op::norm);
  if (*rc::gen::arbitrary<bool>())
    s.dtype = *dtype_from_number(*rc::gen::inRange<std::uint32_t>(1, 14));
  s.shape = several([] { return *rc::gen::inRange<std::int64_t>(0, 1'000); });
  return s;
}

inline statement a_statement() { return {said(), ranks()}; }

inline absence an_absence() {
  using state = absence::state;
  return {ranks(),
          *rc::gen::element(state::not_arrived, state::elsewhere, state::left, state::never_joined,
                            state::unreachable),
          text(), a_duration()};
}

inline status a_status() {
  return {*status_code_from_number(*rc::gen::inRange<std::uint32_t>(0, 17)), text(),
          several(an_absence), several(a_statement), ranks()};
}

inline held_part a_held_part() {
  held_part h{a_rank(), *rc::gen::arbitrary<std::uint64_t>(), {}};
  if (*rc::gen::arbitrary<bool>()) h.parts = {{3, 4}, {8, 16}};
  return h;
}

inline contribution a_contribution() {
  contribution c;
  if (*rc::gen::inRange(0, 3) == 0) {
    c.held = several(a_held_part);
    return c;
  }
  c.frames = several([] { return payload::copy_of(std::string_view(text())); });
  if (*rc::gen::arbitrary<bool>())
    for (std::size_t i = 0; i < c.frames.size(); ++i) {
      const auto first = *rc::gen::inRange<std::uint64_t>(0, 1'000);
      c.parts.push_back({first, first + *rc::gen::inRange<std::uint64_t>(1, 100)});
    }
  return c;
}

inline message a_message() {
  switch (*rc::gen::inRange(0, 15)) {
    case 0: return opened{key(), remaining(), several(a_statement)};
    case 1: return complete{key(), remaining(), said(), a_contribution()};
    case 2:
      return closed{key(), ranks(), *rc::gen::arbitrary<bool>(),
                    *rc::gen::arbitrary<std::uint32_t>()};
    case 3:
      return intents{several([] {
                       return intents::wait{key(), ranks(), a_duration()};
                     }),
                     *rc::gen::arbitrary<std::uint64_t>()};
    case 4: return fail{key(), a_status(), ranks()};
    case 5:
      return behind{a_rank(), several(key), *rc::gen::arbitrary<bool>(),
                    *rc::gen::arbitrary<bool>()};
    case 6: return acknowledge{};
    case 7:
      return verdict{verdict_number{*rc::gen::inRange<std::uint64_t>(1, ~std::uint64_t{0})},
                     key(),
                     a_status(),
                     *rc::gen::arbitrary<bool>(),
                     a_contribution(),
                     ranks(),
                     *rc::gen::arbitrary<bool>() ? std::optional(a_rank()) : std::nullopt};
    case 8: return close{key(), *rc::gen::arbitrary<std::uint32_t>()};
    case 9:
      return stalled{key(),
                     *rc::gen::arbitrary<std::uint32_t>(),
                     *rc::gen::arbitrary<std::uint32_t>(),
                     several(an_absence),
                     a_duration(),
                     *rc::gen::arbitrary<bool>()};
    case 10: return delivered{key()};
    case 11: return proceed{key(), several(a_held_part)};
    case 12:
      return chunk{key(), *rc::gen::arbitrary<std::uint32_t>(),
                   *rc::gen::arbitrary<std::uint64_t>(),
                   payload::copy_of(std::string_view(text()))};
    case 13:
      return chunk_ack{key(), *rc::gen::arbitrary<std::uint32_t>(),
                       *rc::gen::arbitrary<std::uint64_t>()};
    default: return root_at{text(), text()};
  }
}

inline envelope an_envelope() {
  return {generation{*rc::gen::arbitrary<std::uint64_t>()},
          verdict_number{*rc::gen::arbitrary<std::uint64_t>()}, a_message(), ranks()};
}

inline incarnation a_life() {
  return {{*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint64_t>()}};
}

inline member a_member(std::uint32_t number) {
  return {rank{number}, a_life(), text(), text(),
          *rc::gen::inRange<std::uint32_t>(0, limits::devices_per_host_max + 1)};
}

}  // namespace muster::any
