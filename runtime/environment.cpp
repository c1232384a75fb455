#include <muster/runtime/environment.hpp>

#include <string_view>

#include <unistd.h>

namespace muster {

environment process_environment() {
  environment out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    std::string_view text = *entry;
    auto equals = text.find('=');
    if (!text.starts_with("MUSTER_") || equals == std::string_view::npos) continue;
    out.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

}  // namespace muster
