#include <muster/tests/fuzz/targets.hpp>

#include <algorithm>

namespace muster::fuzz {

std::span<const target> targets() {
  static constexpr target all[] = {
      {"mesh", read_mesh, meshes},      {"partition_spec", read_partition_spec, partition_specs},
      {"layout", read_layout, layouts}, {"config", read_config, configs},
      {"tree", read_tree, trees},       {"hello", read_hello, hellos},
      {"answer", read_answer, answers}, {"envelope", read_envelope, envelopes},
      {"member", read_member, members}, {"member_table", read_member_table, member_tables},
  };
  return all;
}

const target* target_named(std::string_view name) {
  const auto found = std::ranges::find(targets(), name, &target::name);
  return found == targets().end() ? nullptr : &*found;
}

}  // namespace muster::fuzz
