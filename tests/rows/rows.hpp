// The rows of the reference tables, each as a coroutine that every host of a world runs: once in virtual worlds of
// several placements, and again over real processes. A row leaves the world as it found it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/runtime/host.hpp>
#include <muster/runtime/task.hpp>

namespace muster::rows {

struct row {
  std::string_view name;
  task<void> (*run)(host&);  // throws status_error where it does not hold
};

std::span<const row> all();
std::span<const row> of_trees();   // trees_rows.cpp
std::span<const row> of_arrays();  // arrays_rows.cpp
std::span<const row> of_names();   // names_rows.cpp
std::span<const row> of_rounds();  // rounds_rows.cpp

// ---- words of rows

/// Throws with `what` unless it holds.
void hold(bool, const std::string& what);
void same(const tree& got, const tree& wanted, std::string_view what);
void same(const array& got, const array& wanted, std::string_view what);
/// That the outcome has this code.
void ends(const status& outcome, status_code);
/// And that its text has these words. (No initializer_list: g++ 12 takes none beside a co_await.)
void says(const status& outcome, std::string_view word);
template <class... Words>
void ends(const status& outcome, status_code code, const Words&... words) {
  ends(outcome, code);
  (says(outcome, words), ...);
}

/// Long enough for a busy machine, short enough for a test: nothing waits for it when all is well.
inline constexpr duration soon = std::chrono::seconds(20);
inline constexpr operation_options in_time{std::chrono::seconds(5), soon};

/// first, first + step, ...
template <class T>
array arange(std::int64_t n, T first = {}, T step = T{1}) {
  std::vector<T> out;
  for (std::int64_t i = 0; i < n; ++i)
    out.push_back(static_cast<T>(first + step * static_cast<T>(i)));
  return array::of(std::move(out));
}
array shaped(array, shape_vector);

inline std::int64_t hosts(const host& h) { return h.world_size(); }
inline std::int64_t self(const host& h) { return h.rank().value; }
inline rank last_rank(const host& h) { return rank{h.world_size() - 1}; }

}  // namespace muster::rows
