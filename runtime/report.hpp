// What a runtime tells people while its hosts work: a line now and then, never an outcome (those are
// statuses). A value.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <muster/messages/values/ids.hpp>

namespace muster {

struct report {
  enum class kind : std::uint8_t {
    joining,  // why the join waits
    stalled,  // an operation has passed its soft deadline: who is missing
    fenced,   // this host could not learn a verdict and takes no further part
    notice,   // a peer that refuses us and the like
  };
  kind what = kind::notice;
  rank who{};  // which of this process's hosts says so
  std::string text;
};

std::string_view to_string(report::kind);
std::string to_string(const report&);  // "muster: rank 3: stalled: ..."

/// Takes reports one after another on a thread of its own. May block; what comes meanwhile is kept up to
/// limits::reports_max and then dropped.
using report_sink = std::function<void(const report&)>;

/// One line on stderr. Where that can't take it for limits::report_write_max, the line is dropped.
void report_to_stderr(const report&);

}  // namespace muster
