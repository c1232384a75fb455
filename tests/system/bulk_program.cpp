// One host of a real world in which rank 0 broadcasts as many MiB as the argument says, while all of them meet in
// barriers. Prints what the broadcast cost this host in memory beyond its result, and whether the barriers were over first.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <muster/runtime/run.hpp>
#include <muster/runtime/runtime.hpp>

using namespace std::chrono_literals;

namespace {

constexpr int pings = 5;
constexpr std::int64_t mebibyte = 1 << 20;

/// Peak of this process' memory since the last reset, in MiB.
std::int64_t peak_mib() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("VmHWM:")) return std::atoll(line.c_str() + 6) / 1024;
  return 0;
}
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

bool is_right(const muster::array& got, std::int64_t words) {
  const auto values = got.elements<std::uint64_t>();
  if (static_cast<std::int64_t>(values.size()) != words) return false;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != i * 0x9e37'79b9'7f4a'7c15u) return false;
  return true;
}

muster::task<void> work(muster::host& h, std::int64_t mib) {
  const auto words = mib * mebibyte / 8;
  muster::tree own;
  if (h.rank() == muster::rank{0}) {
    std::vector<std::uint64_t> values(static_cast<std::size_t>(words));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i * 0x9e37'79b9'7f4a'7c15u;
    own = muster::tree(muster::array::of(std::move(values)));
  }
  co_await h.barrier("ready", {10s, 60s});
  reset_peak();
  const auto before = peak_mib();
  auto moving = h.broadcast_one_to_all(own, {.soft = 10s, .hard = 60s});
  for (int i = 0; i < pings; ++i) co_await h.barrier("ping", {10s, 60s});
  const bool first = !moving.done();
  const muster::tree got = co_await moving;
  const auto* value = got.leaf<muster::array>();
  std::printf("right=%d pings_first=%d beyond_mib=%lld\n", value && is_right(*value, words), first,
              static_cast<long long>(peak_mib() - before - mib));
  std::fflush(stdout);
  co_await h.leave({10s, 60s, {}});
}

}  // namespace

int main(int argc, char** argv) try {
  const auto mib = argc > 1 ? std::atoll(argv[1]) : 64;
  muster::runtime rt;
  auto host = rt.join(muster::host_options::from_environment().value()).value();
  muster::run(work(host, mib));
} catch (const muster::status_error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return muster::exit_code(e.why().code);
}
