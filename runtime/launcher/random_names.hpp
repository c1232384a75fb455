// What must not repeat between two runs, from the system's random source. Any thread.
#pragma once

#include <string>

#include <muster/messages/values/ids.hpp>

namespace muster {

std::string random_job();         // "run-" and 8 hexadecimal digits
std::string random_credential();  // 128 bits, hexadecimal
incarnation random_incarnation();

}  // namespace muster
