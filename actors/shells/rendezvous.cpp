#include <muster/actors/shells/rendezvous.hpp>

#include <algorithm>
#include <utility>

#include <muster/messages/values/text.hpp>

namespace muster {

namespace {

constexpr rank the_root{0};

}  // namespace

rendezvous::rendezvous(rendezvous_options options, bool is_root)
    : options_(std::move(options)), is_root_(is_root) {}

std::optional<rendezvous::dial_order> rendezvous::start(time_point now) {
  started_ = true;
  since_ = now;
  report_pause_ = options_.report_after;
  report_at_ = after(now, report_pause_);
  if (is_root_) reached_ = true;
  if (options_.launcher) {
    asked_ = launcher_rank;
    return dial_order{launcher_rank, *options_.launcher};
  }
  if (is_root_ || options_.root.empty()) return std::nullopt;
  return dial_root();
}

std::optional<rendezvous::dial_order> rendezvous::on_root_at(const root_at& answer) {
  if (is_root_ || !started_ || answer.control_endpoint.empty()) return std::nullopt;
  endpoints where{answer.control_endpoint, answer.bulk_endpoint};
  if (named_ == where) return std::nullopt;
  named_ = std::move(where);
  asked_ = the_root;
  attempts_ = 0;
  why_.clear();
  return dial_root();
}

std::optional<rendezvous::dial_order> rendezvous::on_link_down(rank peer, std::string why,
                                                               std::uint32_t attempts) {
  if (!started_ || peer != asked_) return std::nullopt;
  ++attempts_;
  attempts_ = std::max(attempts_, attempts);
  why_ = std::move(why);
  if (reached_ || named_ || peer != the_root || options_.root.size() < 2) return std::nullopt;
  address_ = (address_ + 1) % options_.root.size();
  return dial_root();
}

void rendezvous::on_link_up(rank peer) {
  if (peer == the_root) reached_ = true;
}

rendezvous::dial_order rendezvous::dial_root() const {
  return {the_root, named_ ? *named_ : options_.root[address_]};
}

std::string rendezvous::nobody_answers() const {
  if (asked_ == launcher_rank && why_.empty() && attempts_ == 0)
    return "the launcher at " + options_.launcher->control + " has not named the root yet";
  const bool by_launcher = asked_ == launcher_rank, given = !by_launcher && !named_;
  std::string text =
      "nobody answers at " + (by_launcher ? options_.launcher->control : dial_root().where.control);
  if (given) text += ", where " + options_.root_setting + " says that rank 0 is";
  text += " (" + std::to_string(attempts_) + (attempts_ == 1 ? " attempt" : " attempts");
  // That nobody answers has been said.
  const bool more = !why_.empty() && !why_.starts_with("nobody answers");
  return text + (more ? "; " + why_ + ")" : ")");
}

std::optional<std::string> rendezvous::report(time_point now) {
  if (!started_ || reached_ || now < report_at_) return std::nullopt;
  report_pause_ *= 2;
  report_at_ = after(now, report_pause_);
  return nobody_answers() + " after " + to_string(now - since_);
}

std::optional<status> rendezvous::expired(time_point now) const {
  if (!started_ || reached_ || now < after(since_, options_.timeout)) return std::nullopt;
  auto text = "join: " + nobody_answers() + " within the join time-out of " +
              to_string(options_.timeout) + " (MUSTER_JOIN_TIMEOUT)";
  return error(status_code::deadline_exceeded, std::move(text));
}

std::optional<time_point> rendezvous::deadline() const {
  if (!started_ || reached_) return std::nullopt;
  return std::min(report_at_, after(since_, options_.timeout));
}

}  // namespace muster
