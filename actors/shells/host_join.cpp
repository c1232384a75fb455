// The host actor from its first dial to the first table: generation 0 is a star around rank 0 whose one
// operation is join, and whose verdict is every member's record in rank order.
#include <algorithm>
#include <utility>

#include <muster/actors/shells/host_actor.hpp>
#include <muster/messages/values/ensure.hpp>
#include <muster/messages/values/limits.hpp>
#include <muster/messages/wire/member_codec.hpp>

namespace muster {

namespace {

constexpr ticket join_ticket{0};

/// What the verdict's frames say. An error is our bug or the root's: the codec has checked the bytes.
result<member_table> read_members(const contribution& all, std::uint32_t world_size) {
  member_table table{generation{1}, {}};
  for (const auto& frame : all.frames) {
    auto one = decode_member(frame);
    if (!one) return one.why();
    table.members.push_back(std::move(*one));
    if (table.members.back().rank.value + 1 != table.members.size())
      return error(status_code::internal, "the join's verdict has member " +
                                              to_string(table.members.back().rank) + " at place " +
                                              std::to_string(table.members.size() - 1));
  }
  if (table.members.size() != world_size)
    return error(status_code::internal, "the join's verdict has " +
                                            std::to_string(table.members.size()) +
                                            " members in a world of " + std::to_string(world_size));
  return table;
}

}  // namespace

member host_actor::myself() const {
  auto where = over_->local();
  return {config_.self, config_.incarnation, where.control, where.bulk,
          static_cast<std::uint32_t>(config_.devices.size())};
}

collective_options host_actor::options_of(muster::generation number, std::uint32_t fan_out,
                                          rank_set group) const {
  collective_options out;
  out.self = config_.self;
  out.world_size = config_.world_size;
  out.fan_out = fan_out;
  out.generation = number;
  out.lease = config_.lease;
  out.group = std::move(group);
  return out;
}

void host_actor::on(start_join& order) {
  advance_time();
  if (std::exchange(join_called_, true))
    return order.done(
        error(status_code::invalid_argument, "this host has joined or tried to; it joins once"),
        {});
  joined_ = std::move(order.done);

  const auto star = std::max(config_.world_size, config_.fan_out);
  gathering_.emplace(part{generation{0}, {}, collective(options_of(generation{0}, star), now_)});
  if (config_.self == rank{0})
    for (const auto& [peer, heard] : heard_)
      links_.keep(now_, peer, heard.endpoints, heard.incarnation);
  dial(meet_.start(now_));

  arrive arrival{join_ticket, {}, {config_.meet.report_after, config_.meet.timeout}, {}};
  arrival.said.kind = op_kind::join;
  arrival.said.name = config_.job;
  arrival.said.leaf_count = config_.world_size;
  arrival.contribution.frames.push_back(encode_member(myself()));
  step(*gathering_, std::move(arrival));
  replay_early_frames();
}

void host_actor::dial(const std::optional<rendezvous::dial_order>& order) {
  if (order) links_.keep(now_, order->peer, order->where, std::nullopt);
}

void host_actor::expire_join() {
  if (star_until_ <= now_) star_until_ = never;
  if (current_) release_star();
  end_failed_join();
  if (!joined_) return;
  if (auto why = meet_.expired(now_)) return fail_join(*why);
  if (auto text = meet_.report(now_); text && config_.observer.joining)
    config_.observer.joining(*text);
}

void host_actor::on_join_verdict(const status& outcome, const contribution& all) {
  if (!joined_) return ignore("a join verdict that nobody waits for");
  if (!outcome.ok()) {
    failure_ = outcome;
    failure_until_ = after(now_, limits::linger_max);
    return end_failed_join();
  }
  auto table = read_members(all, config_.world_size);
  if (!table) return fail_join(table.why());
  if (table->members[config_.self.value] != myself())
    return fail_join(error(status_code::duplicate_rank,
                           "another process has joined as rank " + to_string(config_.self) +
                               " at " + table->members[config_.self.value].control_endpoint));
  enter(std::move(*table));
}

/// Whoever has just said hello learns the verdict as well: the root stays until its links to all that it
/// has heard are up, though not for long.
void host_actor::end_failed_join() {
  if (!failure_) return;
  const bool waits = config_.self == rank{0} && now_ < failure_until_ &&
                     std::any_of(heard_.begin(), heard_.end(),
                                 [this](const auto& h) { return !links_.is_up(h.first); });
  if (waits) return;
  failure_until_ = never;
  fail_join(*std::exchange(failure_, std::nullopt));
}

/// The join is over for this host, and with it its part in this world: it must not be counted any more.
void host_actor::fail_join(const status& why) {
  links_.hang_up_all();
  if (auto joined = std::exchange(joined_, {})) joined(why, {});
}

void host_actor::enter(member_table table) {
  ensure(!current_, "a table is entered once");
  table_ = std::move(table);
  const auto number = table_.generation;
  current_.emplace(part{number, {}, collective(options_of(number, config_.fan_out), now_)});
  if (config_.self != rank{0}) star_until_ = after(now_, config_.lease);
  keep_links(*current_);
  auto joined = std::exchange(joined_, {});
  joined({}, table_);
  replay_early_frames();
}

void host_actor::replay_early_frames() {
  for (auto& frame : std::exchange(early_, {})) on_envelope(frame.from, std::move(frame.content));
}

/// Links of the star that the tree does not need: the root keeps one until its peer has acknowledged the
/// join's verdict, a member keeps its own for a lease after it last heard of the star.
void host_actor::release_star() {
  const bool needed =
      config_.self == rank{0} ? gathering_->core.table_sizes().log != 0 : star_until_ != never;
  for (auto peer : links_.peers()) {
    const bool of_the_star = gathering_->has_neighbour(peer);
    if (needs_link(peer) || (needed && of_the_star)) continue;
    links_.hang_up(peer);
    outbox_.drop(peer);
  }
}

}  // namespace muster
