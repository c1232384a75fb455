#include <muster/runtime/launcher/meeting_point.hpp>

#include <string_view>
#include <utility>

#include <muster/messages/values/control.hpp>
#include <muster/messages/wire/codec.hpp>

namespace muster {
namespace {

constexpr rank the_root{0};

std::string without_scheme(std::string_view endpoint) {
  auto scheme = endpoint.find("://");
  return std::string(scheme == std::string_view::npos ? endpoint : endpoint.substr(scheme + 3));
}

}  // namespace

meeting_point::meeting_point(std::unique_ptr<transport> over, std::uint32_t world_size,
                             std::function<void(const std::string&)> say)
    : over_(std::move(over)), world_size_(world_size), say_(std::move(say)) {}

meeting_point::~meeting_point() { over_->close(); }

std::string meeting_point::where() const {
  auto own = over_->local();
  return without_scheme(own.control) + "," + without_scheme(own.bulk);
}

bool meeting_point::step(time_point now) {
  now_ = now;
  auto events = over_->poll(now);
  for (auto& event : events) std::visit([this](auto& e) { on(e); }, event);
  return !events.empty();
}

void meeting_point::on(const peer_heard& e) {
  if (e.peer.value >= world_size_) return;
  auto [at, is_new] = hosts_.try_emplace(e.peer);
  auto& [who, there] = *at;
  const bool same = !is_new && there.incarnation == e.incarnation && there.where == e.endpoints;
  if (same) return;
  there = {e.incarnation, e.endpoints, false};
  // The root need not be told who it is; the others are dialled once there is something to tell.
  if (who == the_root) {
    for (auto& [other, its] : hosts_)
      if (other != the_root) its.linked ? tell_root(other) : dial(other, its);
  } else if (hosts_.contains(the_root)) {
    dial(who, there);
  }
}

void meeting_point::dial(rank who, const host& there) {
  over_->dial(now_, who, there.where, there.incarnation);
}

void meeting_point::on(const link_up& e) {
  auto at = hosts_.find(e.peer);
  if (at == hosts_.end()) return;
  at->second.linked = true;
  tell_root(e.peer);
}

void meeting_point::on(const link_down& e) {
  if (auto at = hosts_.find(e.peer); at != hosts_.end()) at->second.linked = false;
}

void meeting_point::on(const link_refused& e) {
  on(link_down{e.peer, {}, 0});
  say_("host " + std::to_string(e.peer.value) + " refuses the launcher: " + to_string(e.why));
}

void meeting_point::on(const writable& e) { tell_root(e.peer); }

void meeting_point::tell_root(rank who) {
  auto root = hosts_.find(the_root);
  if (root == hosts_.end() || who == the_root) return;
  const auto& where = root->second.where;
  auto naming = encode(envelope{generation{0}, {}, root_at{where.control, where.bulk}});
  // would_block is followed by `writable`, a lost link by `link_up`: each tells again.
  over_->send(who, lane::control, naming.header, naming.frames);
}

void meeting_point::on_host_ended(rank who) {
  if (hosts_.erase(who) != 0) over_->hang_up(who);
}

}  // namespace muster
