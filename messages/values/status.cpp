#include <muster/messages/values/status.hpp>
#include <muster/messages/values/text.hpp>

namespace muster {

namespace {

std::string ranks_text(const rank_set& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + to_string(ranks);
}

/// `singular` for one rank, `plural` for more.
std::string verb(const rank_set& ranks, const char* singular, const char* plural) {
  return std::string(" ") + (ranks.size() == 1 ? singular : plural);
}

}  // namespace

std::string_view to_string(status_code code) {
  switch (code) {
    case status_code::ok: return "ok";
    case status_code::invalid_argument: return "invalid_argument";
    case status_code::mismatch: return "mismatch";
    case status_code::deadline_exceeded: return "deadline_exceeded";
    case status_code::unknown: return "unknown";
    case status_code::left: return "left";
    case status_code::cancelled: return "cancelled";
    case status_code::aborted: return "aborted";
    case status_code::generation_changed: return "generation_changed";
    case status_code::straggler_behind: return "straggler_behind";
    case status_code::duplicate_rank: return "duplicate_rank";
    case status_code::refused: return "refused";
    case status_code::unavailable: return "unavailable";
    case status_code::resource_exhausted: return "resource_exhausted";
    case status_code::would_block: return "would_block";
    case status_code::device_error: return "device_error";
    case status_code::internal: return "internal";
  }
  return "status without a name";
}

std::optional<status_code> status_code_from_number(std::uint32_t number) {
  if (number > static_cast<std::uint32_t>(status_code::internal)) return {};
  return static_cast<status_code>(number);
}

int exit_code(status_code code) {
  return code == status_code::ok ? 0 : 64 + static_cast<int>(code);
}

std::string to_string(const absence& a) {
  const std::string who = ranks_text(a.ranks);
  switch (a.where) {
    case absence::state::not_arrived: return who + verb(a.ranks, "has", "have") + " not arrived";
    case absence::state::elsewhere:
      return who + verb(a.ranks, "waits", "wait") + " in " + one_line(a.what) + " for " +
             to_string(a.since);
    case absence::state::left: return who + verb(a.ranks, "has", "have") + " left";
    case absence::state::never_joined: return who + " never joined";
    case absence::state::unreachable: return who + verb(a.ranks, "is", "are") + " unreachable";
  }
  return who + verb(a.ranks, "is", "are") + " missing";
}

rank_set status::missing() const {
  rank_set all;
  for (const auto& a : absences) all.merge(a.ranks);
  return all;
}

std::string to_string(const status& s) {
  std::string out(to_string(s.code));
  if (!s.text.empty()) (out += ": ") += one_line(s.text);
  for (const auto& a : s.absences) (out += "; ") += to_string(a);
  for (const auto& said : s.statements) {
    out += "; " + ranks_text(said.ranks) + " said " + to_string(said.said);
  }
  if (!s.unheard.empty())
    out += "; " + ranks_text(s.unheard) + verb(s.unheard, "was", "were") + " not heard";
  return out;
}

}  // namespace muster
