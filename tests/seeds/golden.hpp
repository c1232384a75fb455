// Texts that people read and that must not change by accident: compared with a file of the tree.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace muster::testing {

/// Expects `seen` to be what `file` holds; with GOLDEN=write in the environment the file is written first. `program` is
/// how the test is called.
inline void expect_golden(const std::string& seen, const std::string& file,
                          const std::string& program) {
  const char* order = std::getenv("GOLDEN");
  if (order != nullptr && std::string(order) == "write") std::ofstream(file) << seen;
  std::ifstream in(file);
  const std::string golden((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(seen, golden) << "if that is meant, write the file again: GOLDEN=write " << program
                          << ", and look at what git says has changed";
}

}  // namespace muster::testing
