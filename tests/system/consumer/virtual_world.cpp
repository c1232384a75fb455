// The test of a trainer elsewhere: its hosts are virtual ones.
#include <cstdio>

#include <muster/runtime/simulation/simulation.hpp>

int main() {
  muster::simulation world{{.seed = 7, .hosts = 8}};
  world.start_everywhere([](muster::host& h) -> muster::task<void> {
    co_await h.barrier("x");
    co_await h.leave();
  });
  const auto outcome = world.run();
  std::printf("8 virtual hosts: %s\n", to_string(outcome).c_str());
  return outcome.ok() ? 0 : 1;
}
