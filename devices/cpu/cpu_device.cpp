#include <muster/devices/cpu/cpu_device.hpp>

#include <pthread.h>
#include <signal.h>

#include <string>
#include <thread>
#include <utility>

#include <muster/devices/cpu/host_device.hpp>

namespace muster {

namespace {

// Owns its stream, so that it may outlive the device when a launch does not end.
void run_stream(const std::shared_ptr<host_stream>& stream, const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
  while (stream->wait_for_work()) stream->run_front();
}

// Signals are the embedding program's: they must arrive on its threads, so ours starts with all blocked.
std::thread start_without_signals(std::shared_ptr<host_stream> stream, std::string name) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread started(
      [stream = std::move(stream), name = std::move(name)] { run_stream(stream, name); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

class cpu_device final : public host_device {
 public:
  explicit cpu_device(const cpu_device_options& options)
      : host_device("cpu", options.memory_bytes),
        close_max_(options.close_max),
        thread_(start_without_signals(stream(), "muster-cpu:" + std::to_string(options.index))) {}
  ~cpu_device() override { close(); }
  cpu_device(const cpu_device&) = delete;
  cpu_device& operator=(const cpu_device&) = delete;

  void close() final {
    stream()->close();
    if (!thread_.joinable()) return;
    if (stream()->wait_until_quiet(close_max_))
      thread_.join();
    else
      thread_.detach();
  }

 private:
  const duration close_max_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<device> make_cpu_device(cpu_device_options options) {
  return std::make_unique<cpu_device>(options);
}

}  // namespace muster
