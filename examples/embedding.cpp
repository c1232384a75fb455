// The README's example: a trainer's first step on all hosts. Start it alone, or with
//   muster run --hosts 4 --devices 2 -- embedding
#include <iostream>
#include <vector>

#include <muster/runtime/host.hpp>
#include <muster/runtime/run.hpp>
#include <muster/runtime/runtime.hpp>

using namespace std::chrono_literals;

muster::task<void> train(muster::host& host) {
  muster::tree config;  // rank 0 decides, everyone gets the same bytes
  if (host.rank() == muster::rank{0}) config.set("learning_rate", 0.003);
  config = co_await host.broadcast_one_to_all(config);

  std::vector<muster::device_cover> gradients;  // one leaf per device of the world
  for (std::uint32_t d = 0; d < host.devices().size(); ++d) {
    const float mine = 0.1F * static_cast<float>(host.first_device().value + d);
    gradients.emplace_back(d, host.device_count());
    gradients[d].add(host.first_device().value + d, muster::array::of(std::vector{mine, 1.0F}));
  }
  const muster::array mean = co_await host.all_reduce(gradients, muster::reduce_op::mean);

  co_await host.barrier("step 1", {.soft = 10s, .hard = 5min});
  std::cout << "host " << host.rank().value << " of " << host.world_size() << ", mean "
            << mean.elements<float>()[0] << std::endl;
  co_await host.leave();
}

int main() try {
  muster::runtime rt;
  auto host = rt.join(muster::host_options::from_environment().value()).value();
  muster::run(train(host));
} catch (const muster::status_error& e) {
  std::cerr << "embedding: " << e.what() << std::endl;
  return muster::exit_code(e.why().code);
}
