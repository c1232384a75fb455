#include <muster/runtime/launcher/random_names.hpp>

#include <cstdint>
#include <cstdlib>

#include <sys/random.h>

namespace muster {
namespace {

std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  // Eight bytes come whole or not at all; without them there are no secrets, and no run.
  if (getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) std::abort();
  return bits;
}

}  // namespace

incarnation random_incarnation() { return {{random_bits(), random_bits()}}; }

std::string random_credential() { return to_string(random_incarnation()); }

std::string random_job() { return "run-" + random_credential().substr(0, 8); }

}  // namespace muster
