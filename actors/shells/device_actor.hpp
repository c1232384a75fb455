// The actor of one local device: it orders commands on the device's stream and answers when they are done.
// Spawned detached in production, so that allocation, pinning and driver locks delay nobody else, and as an
// ordinary actor in the simulator. What it can be asked is in device_messages.hpp; any actor may ask.
//
//     launch_kernel, reduce_cover, fold_partials ──> queued on the stream, an event recorded behind it
//     the device's wake ──> the oldest events are looked at again ──> each that is done is answered
//     a sticky failure ──> everything is answered device_error ──> the actor ends, and monitors hear why
//
// It never waits inside a handler, so it answers ask_device while a kernel runs. It holds itself alive while
// anything is unanswered. Counters can be read through a `std::shared_ptr<const device>` that the spawner
// keeps, from any thread and also after the actor's end:
//
//     std::shared_ptr<device> d = make_cpu_device({.index = 0});
//     caf::actor a = system.spawn<device_actor, caf::detached>(d);
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include <caf/actor_config.hpp>
#include <caf/behavior.hpp>

#include <muster/actors/shells/device_messages.hpp>
#include <muster/actors/shells/ordered_actor.hpp>
#include <muster/devices/reduce.hpp>

namespace muster {

class device_actor : public ordered_actor {
 public:
  /// Takes over the device's use (a unique_ptr converts); it must be fresh. Others may only read what
  /// device.hpp allows any thread.
  device_actor(caf::actor_config& config, std::shared_ptr<device> device);

  [[nodiscard]] const char* name() const override { return "muster.device"; }
  caf::behavior make_behavior() override;
  /// Closes the device (bounded by limits::device_close_max) and answers what is left.
  void on_exit() override;

 private:
  using reply = std::function<void(status, contribution)>;
  struct command {
    started_reduction work;  // of a launch only `done`
    reply give;
  };

  template <class Order>
  void receive(Order& order) {
    after_sender();
    on(order);
  }
  void on(launch_kernel&);
  void on(reduce_cover&);
  void on(fold_partials&);
  void on_moved();

  template <class Done, class Answer>
  reply reply_for(const Answer& wanted);
  bool has_room(const reply& give);
  void keep(result<started_reduction> started, reply give);
  void answer_finished();
  void give(reply& to, status outcome, contribution result = {});
  [[nodiscard]] device_report report() const;

  const std::shared_ptr<device> device_;
  std::shared_ptr<std::atomic<bool>> woken_ = std::make_shared<std::atomic<bool>>(false);
  std::deque<command> in_flight_;  // in stream order
  std::uint64_t answered_ = 0;
  bool ending_ = false;
  caf::strong_actor_ptr alive_;  // ourselves, while anything is in flight
};

}  // namespace muster
