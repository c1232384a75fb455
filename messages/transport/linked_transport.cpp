#include <muster/messages/transport/linked_transport.hpp>

#include <algorithm>

#include <muster/messages/transport/dial_backoff.hpp>
#include <muster/messages/transport/greeting.hpp>
#include <muster/messages/values/limits.hpp>

namespace muster {
namespace {

constexpr std::array both_lanes{lane::control, lane::bulk};

const std::string& endpoint_of(const endpoints& e, lane on) {
  return on == lane::control ? e.control : e.bulk;
}

std::size_t size_of(const payload& header, std::span<const payload> frames) {
  std::size_t bytes = header.size();
  for (const auto& frame : frames) bytes += frame.size();
  return bytes;
}

std::size_t size_of(const transport_event& event) {
  const auto* message = std::get_if<message_received>(&event);
  return message ? size_of(message->header, message->frames) : 0;
}

bool within_limits(const payload& header, std::span<const payload> frames) {
  return header.size() <= limits::header_bytes_max && frames.size() <= limits::payload_frames_max &&
         size_of(header, frames) <= limits::envelope_bytes_max;
}

bool is_about_our_link_to(rank peer, const transport_event& event) {
  return std::visit(
      [peer]<class Event>(const Event& e) {
        constexpr bool ours =
            !std::is_same_v<Event, peer_heard> && !std::is_same_v<Event, message_received>;
        return ours && e.peer == peer;
      },
      event);
}

}  // namespace

linked_transport::linked_transport(transport_identity self, std::unique_ptr<carrier> c)
    : self_(std::move(self)),
      carrier_(std::move(c)),
      random_(self_.incarnation.bits[0] ^ self_.incarnation.bits[1] ^ self_.self.value) {}

linked_transport::~linked_transport() { close(); }

endpoints linked_transport::local() const { return carrier_->local(); }
int linked_transport::descriptor() const { return carrier_->descriptor(); }
const transport_counters& linked_transport::counters() const { return counters_; }

// ---- our links

void linked_transport::dial(time_point now, rank peer, muster::endpoints where,
                            std::optional<muster::incarnation> who) {
  now_ = std::max(now_, now);
  auto [it, fresh] = links_.try_emplace(peer);
  auto& l = it->second;
  if (!fresh && l.where == where && l.who == who && !std::holds_alternative<refused>(l.state))
    return;
  leave_state(peer, l);
  std::erase_if(events_, [&](const auto& e) { return is_about_our_link_to(peer, e); });
  l = link{std::move(where), who, 0, {}};
  become_dialling(now_, peer, l);
}

void linked_transport::hang_up(rank peer) {
  const auto it = links_.find(peer);
  if (it == links_.end()) return;
  leave_state(peer, it->second);
  links_.erase(it);
  std::erase_if(events_, [&](const auto& e) { return is_about_our_link_to(peer, e); });
}

send_result linked_transport::send(rank peer, muster::lane on, payload header,
                                   std::span<const payload> frames) {
  if (!within_limits(header, frames)) return send_result::too_large;
  const auto it = links_.find(peer);
  const auto* live = it == links_.end() ? nullptr : std::get_if<up>(&it->second.state);
  if (!live) return send_result::no_link;
  if (!carrier_->put(live->pipes[static_cast<std::size_t>(on)], header, frames)) {
    ++counters_.would_block;
    return send_result::would_block;
  }
  ++counters_.messages_sent;
  counters_.bytes_sent += size_of(header, frames);
  return send_result::sent;
}

void linked_transport::become_dialling(time_point now, rank peer, link& l) {
  ++counters_.dials;
  ++l.attempts;
  const std::uint64_t life = ++lives_;
  auto& state = l.state.emplace<dialling>();
  state.give_up = after(now, limits::hello_timeout);
  due_.emplace(state.give_up, peer);
  for (lane on : both_lanes) {
    const pipe_id pipe{++pipe_ids_};
    if (auto s = carrier_->open(now, pipe, on, endpoint_of(l.where, on)); !s.ok())
      return become_waiting(now, peer, l, std::move(s.text));
    state.pipes[static_cast<std::size_t>(on)] = pipe;
    pipes_.emplace(pipe, pipe_use{peer, on});
    carrier_->put(pipe, encode_hello(make_hello(self_, carrier_->local(), on, life)), {});
  }
}

void linked_transport::become_up(rank peer, link& l, const dialling& from) {
  due_.erase({from.give_up, peer});
  l.attempts = 0;
  l.state = up{pipes{from.pipes}};
  ++counters_.lives;
  events_.emplace_back(link_up{peer});
}

void linked_transport::become_waiting(time_point now, rank peer, link& l, std::string why) {
  leave_state(peer, l);
  const time_point until = after(now, dial_backoff(l.attempts, random_));
  l.state = waiting{until};
  due_.emplace(until, peer);
  events_.emplace_back(link_down{peer, std::move(why), l.attempts});
}

void linked_transport::become_refused(rank peer, link& l, status why) {
  leave_state(peer, l);
  l.state = refused{};
  events_.emplace_back(link_refused{peer, std::move(why)});
}

// Gives back what a state holds: its deadline and its pipes.
void linked_transport::leave_state(rank peer, link& l) {
  const auto shut = [this](const pipes& ids) {
    for (pipe_id pipe : ids)
      if (pipes_.erase(pipe) != 0) carrier_->shut(pipe);
  };
  if (const auto* w = std::get_if<waiting>(&l.state)) {
    due_.erase({w->until, peer});
  } else if (const auto* d = std::get_if<dialling>(&l.state)) {
    due_.erase({d->give_up, peer});
    shut(d->pipes);
  } else if (const auto* u = std::get_if<up>(&l.state)) {
    shut(u->pipes);
  }
  l.state = refused{};
}

void linked_transport::expire(time_point now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    const rank peer = due_.begin()->second;
    auto& l = links_.at(peer);
    if (std::holds_alternative<waiting>(l.state)) {
      leave_state(peer, l);
      become_dialling(now, peer, l);
    } else {
      const auto seconds =
          std::chrono::duration_cast<std::chrono::seconds>(limits::hello_timeout).count();
      become_waiting(
          now, peer, l,
          "no welcome from " + l.where.control + " within " + std::to_string(seconds) + " s");
    }
  }
}

void linked_transport::on(time_point now, pipe_answered& e) {
  const auto use = pipes_.find(e.pipe);
  if (use == pipes_.end()) return;
  const auto [peer, on_lane] = use->second;
  auto& l = links_.at(peer);
  auto* state = std::get_if<dialling>(&l.state);
  auto* slot = state ? &state->welcomes[static_cast<std::size_t>(on_lane)] : nullptr;
  auto said = decode_answer(e.answer);
  if (!slot || *slot || !said.ok()) {
    ++counters_.garbage;
    return become_waiting(now, peer, l,
                          said.ok() ? "an answer that nobody asked for" : said.why().text);
  }
  if (auto* no = std::get_if<refusal>(&*said)) return become_refused(peer, l, std::move(no->why));
  const auto& yes = std::get<welcome>(*said);
  if (auto s = judge_welcome(peer, l.who, yes); !s.ok())
    return become_refused(peer, l, std::move(s));
  *slot = yes;
  const auto& [control, bulk] = state->welcomes;
  if (!control || !bulk) return;
  if (*control != *bulk)
    return become_waiting(now, peer, l, "the two lanes were answered by different hosts");
  become_up(peer, l, dialling{*state});
}

void linked_transport::on(time_point now, pipe_lost& e) {
  const auto use = pipes_.find(e.pipe);
  if (use == pipes_.end()) return;
  const rank peer = use->second.peer;
  become_waiting(now, peer, links_.at(peer), std::move(e.why));
}

void linked_transport::on(time_point, pipe_room& e) {
  const auto use = pipes_.find(e.pipe);
  if (use != pipes_.end()) events_.emplace_back(writable{use->second.peer, use->second.lane});
}

// ---- links of others to us

void linked_transport::on(time_point, nonsense&) { ++counters_.garbage; }

void linked_transport::on(time_point, caller_spoke& e) {
  const auto who = callers_.find(e.caller);
  switch (who.standing) {
    case callers::standing::unknown: return on_hello(e.caller, e.header, e.frames);
    case callers::standing::halfway:
      ++counters_.garbage;
      return;  // an honest peer waits for both welcomes
    case callers::standing::stale: ++counters_.stale; return;
    case callers::standing::current: return on_message(who.rank, e);
  }
}

void linked_transport::on_hello(const caller_id& caller, const payload& header,
                                std::span<const payload> frames) {
  auto said = decode_hello(header);
  if (!said.ok() || !frames.empty() || said->lane != static_cast<std::uint32_t>(caller.lane)) {
    ++counters_.garbage;
    return carrier_->turn_away(caller, std::nullopt);
  }
  auto judged = judge_hello(self_, *said);
  if (!judged.ok()) {
    ++counters_.foreign;
    return carrier_->turn_away(caller, encode_answer(refusal{judged.why()}));
  }
  if (auto taken = second_process(*said); !taken.ok()) {
    ++counters_.foreign;
    return carrier_->turn_away(caller, encode_answer(refusal{std::move(taken)}));
  }
  const auto standing = callers_.admit(caller, *said);
  if (standing == callers::standing::stale) {
    ++counters_.stale;
    return carrier_->turn_away(caller, std::nullopt);
  }
  carrier_->welcome(caller, encode_answer(*judged));
  if (standing == callers::standing::current)
    events_.emplace_back(
        peer_heard{said->rank, said->incarnation, {said->control_endpoint, said->bulk_endpoint}});
}

/// A rank is one process: while our link to the incarnation that we mean is up, another one is an
/// error of whoever started it. A process that has ended takes its link with it.
status linked_transport::second_process(const hello& said) const {
  const auto it = links_.find(said.rank);
  if (it == links_.end() || !std::holds_alternative<up>(it->second.state)) return {};
  const auto& [where, who, attempts, state] = it->second;
  if (!who || *who == said.incarnation) return {};
  return error(status_code::duplicate_rank, "rank " + to_string(said.rank) +
                                                " is taken by the process at " + where.control +
                                                ", which still runs; the one at " +
                                                said.control_endpoint + " needs a rank of its own");
}

void linked_transport::on_message(rank from, caller_spoke& e) {
  if (!within_limits(e.header, e.frames)) {
    ++counters_.garbage;
    return;
  }
  ++counters_.messages_received;
  counters_.bytes_received += size_of(e.header, e.frames);
  events_.emplace_back(
      message_received{from, e.caller.lane, std::move(e.header), std::move(e.frames)});
}

// ---- the loop

std::vector<transport_event> linked_transport::poll(time_point now) {
  now_ = std::max(now_, now);
  std::vector<transport_event> out;
  std::size_t bytes = 0, taken = 0;
  const auto room = [&] {
    return out.size() < limits::step_messages_max && bytes < limits::step_bytes_max;
  };
  const auto hand_over = [&] {
    while (room() && !events_.empty()) {
      bytes += size_of(events_.front());
      out.push_back(std::move(events_.front()));
      events_.pop_front();
    }
  };
  hand_over();
  // Nonsense produces no event, hence a bound of its own.
  for (; room() && taken < limits::step_messages_max; ++taken) {
    auto event = carrier_->take(now_);
    if (!event) break;
    std::visit([&](auto& e) { on(now_, e); }, *event);
    hand_over();
  }
  expire(now_);  // after what has come: a welcome that waited for us is not late
  hand_over();
  return out;
}

std::optional<time_point> linked_transport::deadline() const {
  if (!events_.empty() || carrier_->ready()) return now_;
  auto next = carrier_->deadline();
  if (!due_.empty()) next = std::min(next.value_or(never), due_.begin()->first);
  return next;
}

void linked_transport::close() {
  if (closed_) return;
  closed_ = true;
  std::vector<pipe_id> lingering;
  for (const auto& [peer, l] : links_)
    if (const auto* u = std::get_if<up>(&l.state))
      lingering.insert(lingering.end(), u->pipes.begin(), u->pipes.end());
  carrier_->close(lingering);
}

}  // namespace muster
