#include <muster/examples/train_text/train_options.hpp>

#include <algorithm>
#include <string_view>

namespace train_text {
namespace {

muster::status broken(std::string_view option, const std::string& value, const std::string& rule) {
  return muster::error(muster::status_code::invalid_argument,
                       std::string(option) + " is " + value + ": " + rule);
}

bool is_digest(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

muster::status check(const train_options& o, std::uint32_t device_count) {
  if (o.steps == 0 || o.steps > steps_max) {
    return broken("--steps", std::to_string(o.steps), "must be 1 to " + std::to_string(steps_max));
  }
  if (o.leaves == 0 || batch_samples % o.leaves != 0) {
    return broken("--leaves", std::to_string(o.leaves),
                  "must divide the " + std::to_string(batch_samples) + " samples of a step");
  }
  if (o.leaves < device_count) {
    return broken(
        "--leaves", std::to_string(o.leaves),
        "must be at least 1 for each of the " + std::to_string(device_count) + " devices");
  }
  if (o.digest_at == 0) return broken("--digest-at", "0", "must be a step, from 1");
  if (!o.expect_digest.empty() && !is_digest(o.expect_digest)) {
    return broken("--expect-digest", "'" + o.expect_digest + "'",
                  "must be 32 hexadecimal digits in lower case");
  }
  if (!o.expect_digest.empty() && o.steps < o.digest_at) {
    return broken("--expect-digest", o.expect_digest,
                  "is that of step " + std::to_string(o.digest_at) + ", but --steps is " +
                      std::to_string(o.steps));
  }
  return {};
}

}  // namespace train_text
