// Finding the root: whom a joining host dials, and what it can say while nobody answers. A plain state
// machine without I/O: it is told what happened and when, and says whom to dial. Used by one thread.
//
//     start ──> [dial launcher ──root_at──>] dial root ──link_up──> reached
//                     └── nobody answers: next address, a report that grows rarer, at last an error
//
// The root itself dials only the launcher, whose hello then names the root's endpoints to the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <muster/messages/transport/transport.hpp>
#include <muster/messages/values/control.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/values/time.hpp>

namespace muster {

/// How to find the root: its endpoints (more than one are tried in turn), or the launcher that names it. Neither is needed by the root itself or in a world of one.
struct rendezvous_options {
  std::vector<endpoints> root;
  std::optional<endpoints> launcher;
  duration report_after = limits::join_soft_default;
  duration timeout = limits::join_timeout_default;
  std::string root_setting = "MUSTER_ROOT";  // what a person would look at for the root's address
};

class rendezvous {
 public:
  rendezvous(rendezvous_options options, bool is_root);

  struct dial_order {
    rank peer;
    endpoints where;
    friend bool operator==(const dial_order&, const dial_order&) = default;
  };

  std::optional<dial_order> start(time_point now);
  std::optional<dial_order> on_root_at(const root_at&);
  /// The next address of the root, when there are several and this one does not answer.
  std::optional<dial_order> on_link_down(rank peer, std::string why, std::uint32_t attempts);
  void on_link_up(rank peer);

  /// What the root's link has shown; from then on the join's own protocol reports and decides.
  [[nodiscard]] bool reached() const { return reached_; }

  /// A sentence, when one is due: who does not answer, how often tried, for how long. Doubling pauses.
  std::optional<std::string> report(time_point now);
  /// The error, once the time-out has come and the root was never reached.
  [[nodiscard]] std::optional<status> expired(time_point now) const;
  [[nodiscard]] std::optional<time_point> deadline() const;

 private:
  [[nodiscard]] dial_order dial_root() const;
  [[nodiscard]] std::string nobody_answers() const;

  rendezvous_options options_;
  bool is_root_;
  bool reached_ = false;
  bool started_ = false;
  rank asked_{};                    // whom we dial now: the launcher or the root
  std::size_t address_ = 0;         // of options_.root
  std::optional<endpoints> named_;  // by the launcher
  std::uint32_t attempts_ = 0;
  std::string why_;
  time_point since_{};
  time_point report_at_ = never;
  duration report_pause_{};
};

}  // namespace muster
