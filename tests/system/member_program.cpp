// One host of a real world, for tests: joins by its environment, does what its argument says, and ends with
// the exit code of what went wrong. Prints what it got, one line each.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <muster/runtime/run.hpp>
#include <muster/runtime/runtime.hpp>

using namespace std::chrono_literals;

namespace {

constexpr muster::operation_options soon{1s, 20s};

/// Every kind of operation once; the sum is printed bit for bit.
muster::task<void> work(muster::host& host) {
  muster::tree said;
  if (host.rank() == muster::rank{0}) said.set("n", std::int64_t{41});
  const muster::tree heard = co_await host.broadcast_one_to_all(said, {muster::rank{0}, 1s, 20s});
  co_await host.sync_global_devices("agreed", soon);
  std::vector<muster::device_cover> covers;
  for (std::uint32_t d = 0; d < host.devices().size(); ++d) {
    covers.emplace_back(d, host.device_count());
    const auto leaf = host.first_device().value + d;
    covers.back().add(leaf,
                      muster::array::of(std::vector<float>{1.0f / static_cast<float>(leaf + 3)}));
  }
  const muster::array mean = co_await host.all_reduce(covers, muster::reduce_op::mean, soon);
  co_await host.barrier("done", soon);
  std::printf("heard %lld mean %a\n",
              static_cast<long long>(*heard.find("n")->leaf<std::int64_t>()),
              static_cast<double>(mean.elements<float>()[0]));
  co_await host.leave(soon);
}

/// Waits in a barrier that rank 0 never reaches: it stops when it has joined.
muster::task<void> lose_the_root(muster::host& host) {
  co_await host.barrier("start", soon);
  std::printf("started\n");
  std::fflush(stdout);
  if (host.rank() == muster::rank{0}) pause();
  co_await host.barrier("never", {200ms, 1s});
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string_view what = argc > 1 ? argv[1] : "work";
  muster::runtime rt;
  auto host = rt.join(muster::host_options::from_environment().value()).value();
  muster::run(what == "lose_the_root" ? lose_the_root(host) : work(host));
} catch (const muster::status_error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return muster::exit_code(e.why().code);
}
