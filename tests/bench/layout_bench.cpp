// What index maps and relayout plans cost as meshes grow: medians in milliseconds, and how much 64 times the devices
// cost. usage: bench_layout FILE.json
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <muster/messages/values/layouts/index_map.hpp>
#include <muster/messages/values/layouts/relayout.hpp>

namespace muster {
namespace {

constexpr int rounds = 5;
constexpr std::int64_t sides[] = {32, 64, 128, 256};  // of a square mesh
constexpr std::uint32_t devices_per_host = 8;

double median_ms(const std::function<void()>& work) {
  std::vector<double> took;
  for (int i = 0; i < rounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    took.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  std::sort(took.begin(), took.end());
  return took[rounds / 2];
}

mesh square(std::int64_t side, bool transposed) {
  std::vector<mesh_device> devices;
  for (std::int64_t i = 0; i < side * side; ++i) {
    const auto d = static_cast<std::uint32_t>(transposed ? i % side * side + i / side : i);
    devices.push_back({device_index{d}, rank{d / devices_per_host}});
  }
  return mesh::of("", device_kind::cpu, {{"x", side}, {"y", side}}, std::move(devices)).value();
}

struct relayout_case {
  const char* name;
  std::initializer_list<std::string_view> from, to;
  bool other_mesh = false;
};

const relayout_case cases[] = {
    {"replicated to [x,y]", {"", ""}, {"x", "y"}},
    {"[x,y] to [y,x]", {"x", "y"}, {"y", "x"}},
    {"[x,y] to another device order", {"x", "y"}, {"x", "y"}, true},
    {"rows to columns, [x,-] to [-,x]", {"x", ""}, {"", "x"}},
};

/// Runs on each size and prints one line; what is refused has no time.
void measure(nlohmann::json& rows, const std::string& what,
             const std::function<bool(std::int64_t side, double& ms)>& run) {
  std::printf("%-34s", what.c_str());
  double first = 0, last = 0;
  for (auto side : sides) {
    double ms = 0;
    if (!run(side, ms)) {
      std::printf(" %10s", "refused");
      last = 0;
      continue;
    }
    if (first == 0) first = ms;
    last = ms;
    std::printf(" %10.2f", ms);
    rows.push_back({{"system", "muster"}, {"devices", side * side}, {"what", what}, {"ms", ms}});
  }
  if (last > 0) std::printf(" %9.0f x", last / first);
  std::printf("\n");
}

void measure_all(nlohmann::json& rows) {
  std::printf("%-34s", "ms, median of 5; devices:");
  for (auto side : sides) std::printf(" %10lld", static_cast<long long>(side * side));
  std::printf(" %11s\n", "for x 64");
  measure(rows, "index map with owners", [](auto side, double& ms) {
    const auto l = layout::of(partition_spec::of({"x", "y"}).value(), square(side, false)).value();
    ms = median_ms([&] { (void)index_map::of(l, {2 * side, 2 * side}).value(); });
    return true;
  });
  for (const auto& c : cases)
    measure(rows, c.name, [&c](auto side, double& ms) {
      const auto from = layout::of(partition_spec::of(c.from).value(), square(side, false)).value();
      const auto to =
          layout::of(partition_spec::of(c.to).value(), square(side, c.other_mesh)).value();
      bool made = true;
      ms = median_ms([&] { made = plan_relayout(from, to, {2 * side, 2 * side}).ok(); });
      return made;
    });
}

}  // namespace
}  // namespace muster

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: bench_layout FILE.json\n");
    return 2;
  }
  nlohmann::json rows = nlohmann::json::array();
  muster::measure_all(rows);
  std::ofstream(arguments[1]) << rows.dump(1) << "\n";
  return 0;
}
