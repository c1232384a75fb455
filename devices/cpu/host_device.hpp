// A device whose memory is the host's, without saying who runs its stream: all that the CPU back end and the
// simulated one have in common. Threads as device.hpp says.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include <muster/devices/cpu/host_stream.hpp>
#include <muster/devices/device.hpp>

namespace muster {

class host_device : public device {
 public:
  /// At most `memory_bytes` are allocated at a time; what is shared in is not counted.
  host_device(std::string kind, std::size_t memory_bytes);

  [[nodiscard]] std::string_view kind() const override { return kind_; }
  result<device_buffer> allocate(std::size_t bytes) override;
  status copy_in(device_buffer& to, bytes_view from) override;
  status copy_out(std::span<std::byte> to, const device_buffer& from) override;
  result<device_buffer> share_in(payload from) override;
  result<payload> share_out(device_buffer from) override;
  status launch(std::string_view name, host_kernel kernel, std::size_t bytes_reduced) override;
  status launch(fold_launch fold) override;
  device_event record() override;
  [[nodiscard]] event_progress query(const device_event& event) const override;
  [[nodiscard]] status failure() const override { return stream_->failure(); }
  void on_progress(std::function<void()> wake) override { stream_->on_progress(std::move(wake)); }
  [[nodiscard]] device_counters counters() const override { return stream_->counters(); }

 protected:
  /// Called after work was pushed, by the thread that pushed it.
  virtual void work_pushed() {}
  [[nodiscard]] const std::shared_ptr<host_stream>& stream() const { return stream_; }

 private:
  struct allocation;
  status push(host_work work);

  const std::string kind_;
  const std::size_t memory_bytes_;
  std::shared_ptr<std::atomic<std::size_t>> allocated_ =
      std::make_shared<std::atomic<std::size_t>>(0);
  std::shared_ptr<host_stream> stream_;
};

}  // namespace muster
