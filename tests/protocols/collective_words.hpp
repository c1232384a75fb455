// Words for tests of one collective core: how an input is said and how an effect is recognised.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include <muster/actors/protocols/collective.hpp>

namespace muster::testing {

using namespace std::chrono_literals;

inline constexpr time_point t0{1h};

/// One core of a world, with a fan-out of 16 unless said otherwise.
inline collective core_of(std::uint32_t self, std::uint32_t world_size,
                          std::uint32_t fan_out = 16) {
  return collective({rank{self}, world_size, fan_out, generation{1}}, t0);
}

inline operation_key barrier(std::string name) {
  return named_key{op_kind::barrier, std::move(name)};
}
inline operation_key operation(std::uint64_t number) { return ordered_key{number}; }

inline signature says(op_kind kind, std::string name = "") {
  signature s;
  s.kind = kind;
  s.name = std::move(name);
  return s;
}

/// The local member calls a barrier.
inline arrive arrives(std::string name, deadlines limits = {1s, 5s},
                      std::uint64_t ticket_number = 1) {
  return {ticket{ticket_number}, says(op_kind::barrier, std::move(name)), limits, {}};
}

/// A child says that its whole subtree has arrived.
inline received completes(std::uint32_t from, std::string name, std::uint64_t knows = 0) {
  return {rank{from}, verdict_number{knows},
          complete{barrier(name), {1s, 5s}, says(op_kind::barrier, name), {}}};
}

inline received from(std::uint32_t peer, message body, std::uint64_t knows = 0) {
  return {rank{peer}, verdict_number{knows}, std::move(body)};
}

inline verdict decided(std::uint64_t number, operation_key key, status outcome = {}) {
  return {verdict_number{number}, std::move(key), std::move(outcome), true, {}};
}

template <class Message>
std::vector<std::pair<rank, Message>> sent(const collective_effects& effects) {
  std::vector<std::pair<rank, Message>> out;
  for (const auto& e : effects)
    if (const auto* s = std::get_if<send>(&e))
      if (const auto* m = std::get_if<Message>(&s->body)) out.emplace_back(s->to, *m);
  return out;
}

template <class Effect>
std::vector<Effect> all(const collective_effects& effects) {
  std::vector<Effect> out;
  for (const auto& e : effects)
    if (const auto* x = std::get_if<Effect>(&e)) out.push_back(*x);
  return out;
}

/// The outcomes of the calls that ended in this step.
inline std::vector<status> outcomes(const collective_effects& effects) {
  std::vector<status> out;
  for (const auto& r : all<release>(effects)) out.push_back(r.outcome);
  return out;
}

inline auto ends_with(status_code code) {
  return ::testing::ElementsAre(::testing::Field("code", &status::code, code));
}

}  // namespace muster::testing
