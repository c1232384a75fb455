#include <muster/messages/values/control.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {

std::string to_string(const stalled& s) {
  auto out = to_string(s.key) + ": " + (s.moving ? "all have arrived, and " : "") +
             std::to_string(s.arrived) + " of " + std::to_string(s.expected) +
             (s.moving ? " have their data after " : " have arrived after ") + to_string(s.waited);
  for (const auto& a : s.absences) (out += "; ") += to_string(a);
  return out;
}

}  // namespace muster
