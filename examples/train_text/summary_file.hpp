// A run's result as a file for other programs. Any thread.
#pragma once

#include <string>

#include <muster/examples/train_text/report.hpp>
#include <muster/examples/train_text/train_options.hpp>
#include <muster/messages/values/status.hpp>

namespace train_text {

/// One JSON object, in a fixed order of keys. `digest` is that of step digest_at, or null.
std::string summary_json(const train_summary&, const train_options&, const std::string& text_file,
                         double seconds, double tokens_per_second);

/// Replaces the file with `content`, whole or not at all; unavailable with the reason otherwise.
muster::status write_file(const std::string& path, const std::string& content);

}  // namespace train_text
