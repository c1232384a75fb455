// The launcher's end of the rendezvous: hosts say hello here, and everyone is told where the root
// listens. It only names the root: it has no rank, no data and no say. One thread; never blocks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <muster/messages/transport/transport.hpp>
#include <muster/messages/values/ids.hpp>

namespace muster {

class meeting_point {
 public:
  /// `over` is bound as launcher_rank. `say` is told what a person should know.
  meeting_point(std::unique_ptr<transport> over, std::uint32_t world_size,
                std::function<void(const std::string&)> say);
  ~meeting_point();
  meeting_point(const meeting_point&) = delete;
  meeting_point& operator=(const meeting_point&) = delete;

  /// Both lanes as MUSTER_LAUNCHER has them: "host:port,host:port".
  [[nodiscard]] std::string where() const;

  /// Handles what has happened; true when there may be more.
  bool step(time_point now);
  [[nodiscard]] std::optional<time_point> deadline() const { return over_->deadline(); }
  [[nodiscard]] int descriptor() const { return over_->descriptor(); }

  /// Its process is gone: nobody is there to be told.
  void on_host_ended(rank who);

 private:
  struct host {
    muster::incarnation incarnation;
    muster::endpoints where;
    bool linked = false;
  };
  void on(const peer_heard&);
  void on(const link_up&);
  void on(const link_down&);
  void on(const link_refused&);
  void on(const message_received&) {}  // hosts have nothing to tell us yet
  void on(const writable&);
  void tell_root(rank who);
  void dial(rank who, const host& there);

  std::unique_ptr<transport> over_;
  std::uint32_t world_size_;
  std::function<void(const std::string&)> say_;
  std::map<rank, host> hosts_;
  time_point now_{};
};

}  // namespace muster
