#include <muster/messages/transport/greeting.hpp>

#include <algorithm>
#include <string>

namespace muster {
namespace {

std::string versions(std::uint32_t first, std::uint32_t last) {
  return first == last ? std::to_string(first)
                       : std::to_string(first) + " to " + std::to_string(last);
}

// Looks at every byte, so that the time taken says nothing of how many were right.
bool same_secret(const std::string& a, const std::string& b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= static_cast<unsigned>(a[i] ^ b[i]) & 0xff;
  return difference == 0;
}

status refused(std::string text) { return error(status_code::refused, std::move(text)); }

}  // namespace

hello make_hello(const transport_identity& self, const endpoints& ours, lane on,
                 std::uint64_t life) {
  hello h;
  h.job = self.job;
  h.credential = self.credential;
  h.rank = self.self;
  h.incarnation = self.incarnation;
  h.control_endpoint = ours.control;
  h.bulk_endpoint = ours.bulk;
  h.lane = static_cast<std::uint32_t>(on);
  h.life = life;
  return h;
}

result<welcome> judge_hello(const transport_identity& ours, const hello& theirs) {
  if (theirs.version_max < protocol_version_min || theirs.version_min > protocol_version_max)
    return refused("protocol version " + versions(theirs.version_min, theirs.version_max) +
                   " was offered, " + versions(protocol_version_min, protocol_version_max) +
                   " is spoken here");
  if (theirs.job != ours.job)
    return refused("the hello is of job '" + theirs.job + "', this is job '" + ours.job + "'");
  if (!same_secret(theirs.credential, ours.credential))
    return refused("the credential is not that of job '" + ours.job + "'");
  return welcome{ours.self, ours.incarnation, std::min(theirs.version_max, protocol_version_max)};
}

status judge_welcome(rank dialled, const std::optional<incarnation>& expected,
                     const welcome& theirs) {
  if (theirs.rank != dialled)
    return refused("rank " + to_string(dialled) + " was dialled, rank " + to_string(theirs.rank) +
                   " answered");
  if (expected && theirs.incarnation != *expected)
    return refused("incarnation " + to_string(*expected) + " of rank " + to_string(dialled) +
                   " was dialled, incarnation " + to_string(theirs.incarnation) + " answered");
  if (theirs.version < protocol_version_min || theirs.version > protocol_version_max)
    return refused("protocol version " + std::to_string(theirs.version) + " was answered, " +
                   versions(protocol_version_min, protocol_version_max) + " was offered");
  return {};
}

}  // namespace muster
