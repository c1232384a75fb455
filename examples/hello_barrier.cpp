// The smallest trainer: joins, agrees on something, waits for everyone, leaves. Start it alone, or with
//   muster run --hosts 4 -- hello_barrier
#include <chrono>
#include <cstdio>

#include <muster/runtime/run.hpp>
#include <muster/runtime/runtime.hpp>

using namespace std::chrono_literals;

muster::task<void> hello(muster::host& host) {
  muster::tree config;
  if (host.rank() == muster::rank{0}) config.set("greeting", "hello from rank 0");
  const muster::tree agreed = co_await host.broadcast_one_to_all(config);

  co_await host.barrier("everyone is here", {.soft = 10s, .hard = 5min});
  std::printf("rank %u of %u heard: %s\n", host.rank().value, host.world_size(),
              agreed.find("greeting")->leaf<std::string>()->c_str());
  co_await host.leave();
}

int main() try {
  muster::runtime rt;
  muster::host host = rt.join(muster::host_options::from_environment().value()).value();
  muster::run(hello(host));
} catch (const muster::status_error& e) {
  std::fprintf(stderr, "hello_barrier: %s\n", e.what());
  return muster::exit_code(e.why().code);
}
