#include <muster/messages/transport/zmq/zmq_transport.hpp>

#include <algorithm>
#include <utility>

#include <sys/resource.h>

#include <muster/messages/transport/linked_transport.hpp>
#include <muster/messages/transport/zmq/zmq_carrier.hpp>

namespace muster {
namespace {

// Of one link, both lanes: the DEALER, its connection and both ends of its monitor, and what the
// peer's link to us takes. libzmq aborts the process when it can't get a descriptor in the wrong
// moment, hence the bound.
constexpr rlim_t descriptors_per_link = 10;
constexpr rlim_t descriptors_of_others = 64;

std::uint32_t links_max() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  const rlim_t usable =
      limit.rlim_cur > descriptors_of_others ? limit.rlim_cur - descriptors_of_others : 0;
  return static_cast<std::uint32_t>(
      std::clamp<rlim_t>(usable / descriptors_per_link, 1, limits::world_size_max));
}

status check(const transport_identity& identity, const zmq_options& options) {
  const auto invalid = [](std::string text) {
    return error(status_code::invalid_argument, std::move(text));
  };
  if (identity.job.size() > limits::job_bytes_max)
    return invalid("a job name of " + std::to_string(identity.job.size()) + " bytes, the most is " +
                   std::to_string(limits::job_bytes_max));
  if (identity.credential.size() > limits::credential_bytes_max)
    return invalid("a credential of " + std::to_string(identity.credential.size()) +
                   " bytes, the most is " + std::to_string(limits::credential_bytes_max));
  if (options.io_threads < 1)
    return invalid("io_threads is " + std::to_string(options.io_threads) + ", at least 1");
  if (options.lane_queue_max < 1)
    return invalid("lane_queue_max is " + std::to_string(options.lane_queue_max) + ", at least 1");
  return {};
}

}  // namespace

result<std::unique_ptr<transport>> make_zmq_transport(transport_identity identity,
                                                      zmq_options options) {
  if (auto s = check(identity, options); !s.ok()) return s;
  auto carrier = std::make_unique<zmq_carrier>(std::move(options), links_max());
  if (auto s = carrier->listen(); !s.ok()) return s;
  return std::unique_ptr<transport>(
      std::make_unique<linked_transport>(std::move(identity), std::move(carrier)));
}

}  // namespace muster
