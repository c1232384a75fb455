// The targets of fuzzing: what reads bytes that anybody may have made. Each aborts on a finding, which is a broken
// promise: what is read and written again is the same, and what is refused says why. Any thread.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <muster/messages/values/payload.hpp>

namespace muster::fuzz {

struct target {
  std::string_view name;
  /// Whether the input was taken.
  bool (*read)(const payload&);
  /// Inputs to begin with: what Muster itself writes.
  std::vector<payload> (*seeds)();
};

std::span<const target> targets();
/// nullptr where none is called so.
const target* target_named(std::string_view);

// text_targets.cpp
bool read_mesh(const payload&);
std::vector<payload> meshes();
bool read_partition_spec(const payload&);
std::vector<payload> partition_specs();
bool read_layout(const payload&);
std::vector<payload> layouts();
bool read_config(const payload&);
std::vector<payload> configs();
// tree_target.cpp
bool read_tree(const payload&);
std::vector<payload> trees();
// wire_targets.cpp
bool read_hello(const payload&);
std::vector<payload> hellos();
bool read_answer(const payload&);
std::vector<payload> answers();
/// A header's length in two bytes, the header, then frames, each after its length in one byte.
bool read_envelope(const payload&);
std::vector<payload> envelopes();
bool read_member(const payload&);
std::vector<payload> members();
bool read_member_table(const payload&);
std::vector<payload> member_tables();

}  // namespace muster::fuzz
