// How one host of a runtime ends, once, whoever asks first: its handle, its failed join, or the runtime.
// Any thread.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include <caf/actor.hpp>

#include <muster/messages/transport/transport.hpp>
#include <muster/messages/values/status.hpp>
#include <muster/messages/values/time.hpp>
#include <muster/runtime/worker_thread.hpp>

namespace muster {

/// begin ──> the host actor ends and hands its transport back ──> a worker closes it, which may take its
/// linger ──> the device actors are told to end ──> ended.
class host_ending : public std::enable_shared_from_this<host_ending> {
 public:
  /// `closer` runs what blocks. The actors are let go of at the end.
  host_ending(caf::actor host, std::vector<caf::actor> devices,
              std::shared_ptr<worker_thread> closer);

  void begin();
  /// ok, or `unavailable` when it has not ended by then.
  status wait_for(duration longest);
  [[nodiscard]] bool ended() const;

 private:
  void close(const std::shared_ptr<transport>&);
  void finish();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  caf::actor host_;
  std::vector<caf::actor> devices_;
  std::shared_ptr<worker_thread> closer_;
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace muster
