// Whom a host keeps links to, where and to which life, and which of these links are up. Tells the
// transport to dial and hang up; decides nothing. Belongs to one host actor; used by its thread only.
#pragma once

#include <map>
#include <optional>
#include <set>

#include <muster/messages/transport/transport.hpp>

namespace muster {

class link_table {
 public:
  explicit link_table(transport& over) : over_(over) {}

  /// Dials, unless that very link is kept already.
  void keep(time_point now, rank peer, endpoints where, std::optional<incarnation> who);
  /// Like keep(), but a link to that peer which is up stays as it is: it is dialled at this address only
  /// when that link is down. For a peer that was first dialled at an address that somebody wrote down.
  void keep_or_redial(time_point now, rank peer, endpoints where, std::optional<incarnation> who);
  void hang_up(rank peer);
  void hang_up_all();
  /// Ends the link's life and dials again, so that both ends say everything again.
  void remake(time_point now, rank peer);

  void on_up(rank peer);
  /// False: not a link of ours any more.
  bool on_down(time_point now, rank peer);

  [[nodiscard]] bool keeps(rank peer) const { return kept_.contains(peer); }
  [[nodiscard]] bool is_up(rank peer) const;
  /// Everyone a link is kept to, in rank order.
  [[nodiscard]] std::set<rank> peers() const;

 private:
  struct target {
    endpoints where;
    std::optional<incarnation> who;
    friend bool operator==(const target&, const target&) = default;
  };
  struct kept {
    target now;
    std::optional<target> next;  // where to dial once this life has ended
    bool up = false;
  };
  void dial(time_point now, rank peer, kept&);

  transport& over_;
  std::map<rank, kept> kept_;
};

}  // namespace muster
