#include <muster/runtime/host_ending.hpp>

#include <utility>

#include <caf/send.hpp>

#include <muster/actors/shells/host_messages.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {

host_ending::host_ending(caf::actor host, std::vector<caf::actor> devices,
                         std::shared_ptr<worker_thread> closer)
    : host_(std::move(host)), devices_(std::move(devices)), closer_(std::move(closer)) {}

void host_ending::begin() {
  caf::actor host;
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(begun_, true)) return;
    host = host_;
  }
  // When nobody is there to answer any more, the order is dropped, and that is an end as well.
  std::shared_ptr<void> dropped(nullptr, [self = shared_from_this()](void*) { self->finish(); });
  caf::anon_send(host,
                 shut_down{[self = shared_from_this(), dropped](std::shared_ptr<transport> over) {
                   self->closer_->post([self, dropped, over] { self->close(over); });
                 }});
}

void host_ending::close(const std::shared_ptr<transport>& over) {
  over->close();
  finish();
}

void host_ending::finish() {
  std::vector<caf::actor> devices;
  caf::actor host;
  {
    std::lock_guard lock(mutex_);
    ended_ = true;
    devices.swap(devices_);
    host.swap(host_);
  }
  for (const auto& d : devices) caf::anon_send_exit(d, caf::exit_reason::user_shutdown);
  changed_.notify_all();
}

status host_ending::wait_for(duration longest) {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, longest, [this] { return ended_; })) return {};
  return error(status_code::unavailable,
               "the host had not ended " + to_string(longest) + " after it was told to");
}

bool host_ending::ended() const {
  std::lock_guard lock(mutex_);
  return ended_;
}

}  // namespace muster
