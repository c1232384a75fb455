// Faults that are planted here and nowhere else, one per run, named by the argument. The sanitizer that the tests
// are built with must report each under the suppressions that the tests run with: planted_faults_test.py looks.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/send.hpp>

#include <muster/actors/shells/ordered_actor.hpp>
#include <muster/devices/cpu/cpu_device.hpp>
#include <muster/messages/values/payload.hpp>

namespace muster {
namespace {

/// Two threads write here in the races below. Each waits until the other is there, so that one thread can't do the
/// work of both; relaxed, so that this orders nothing.
void write_with_the_other() {
  static std::atomic<int> here = 0;
  static std::uint64_t shared = 0;
  here.fetch_add(1, std::memory_order_relaxed);
  while (here.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
  for (int i = 0; i < 1'000; ++i)
    shared += 1;  // two that meet in the same nanosecond may go unseen
}

/// Ends when it has been told once.
class writer final : public ordered_actor {
 public:
  using ordered_actor::ordered_actor;
  caf::behavior make_behavior() override {
    return {[this](int) {
      after_sender();
      write_with_the_other();
      quit();
    }};
  }
};

// A handler and an ordinary thread, with CAF's library on the handler's stack.
void race_in_handler() {
  caf::actor_system_config config;
  caf::actor_system system(config);
  auto actor = system.spawn<writer>();
  caf::anon_send(actor, 1);
  write_with_the_other();
  system.await_all_actors_done();
}

// Two handlers of two actors on two threads.
void race_of_handlers() {
  caf::actor_system_config config;
  caf::actor_system system(config);
  caf::anon_send(system.spawn<writer, caf::detached>(), 1);
  caf::anon_send(system.spawn<writer, caf::detached>(), 1);
  system.await_all_actors_done();
}

// A kernel on a device's stream, and the thread that launched it.
void race_in_kernel() {
  auto device = make_cpu_device();
  (void)device->launch("planted", [] { write_with_the_other(); });
  write_with_the_other();
  device->close();
}

void heap_overflow() {
  const auto one = payload::copy_of(std::array{std::byte{1}, std::byte{2}});
  std::array<std::byte, 3> target{};
  std::memcpy(target.data(), one.data(), target.size());
  std::printf("%d\n", static_cast<int>(target[2]));
}

void use_after_free() {
  auto owner = std::make_unique<std::uint64_t>(1);
  const std::uint64_t* volatile view =
      owner.get();  // volatile: the compiler sees too much otherwise
  owner.reset();
  std::printf("%llu\n", static_cast<unsigned long long>(*view));
}

void leak() {
  void* volatile lost = new std::array<char, 64>;
  std::printf("%p\n", lost);
  lost = nullptr;
}

void signed_overflow() {
  volatile std::int64_t most = std::numeric_limits<std::int64_t>::max();
  most = most + 1;
  std::printf("%lld\n", static_cast<long long>(most));
}

const std::map<std::string, std::function<void()>> faults = {
    {"none", [] {}},
    {"race_in_handler", race_in_handler},
    {"race_of_handlers", race_of_handlers},
    {"race_in_kernel", race_in_kernel},
    {"heap_overflow", heap_overflow},
    {"use_after_free", use_after_free},
    {"leak", leak},
    {"signed_overflow", signed_overflow},
};

}  // namespace
}  // namespace muster

int main(int count, char** arguments) {
  const auto fault = muster::faults.find(count == 2 ? arguments[1] : "");
  if (fault == muster::faults.end()) {
    std::fprintf(stderr, "planted_faults: one argument, the name of a fault\n");
    return 2;
  }
  fault->second();
  std::puts("ended");
}
