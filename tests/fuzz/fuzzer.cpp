// libFuzzer's side: MUSTER_FUZZ names the target, and the first folder among the arguments is given its seeds.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <muster/tests/fuzz/targets.hpp>

namespace {

const muster::fuzz::target* chosen = nullptr;

void write_seeds(const std::string& folder) {
  int number = 0;
  for (const muster::payload& seed : chosen->seeds())
    std::ofstream(folder + "/seed" + std::to_string(number++), std::ios::binary) << seed.text();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const char* name = std::getenv("MUSTER_FUZZ");
  chosen = muster::fuzz::target_named(name ? name : "");
  if (!chosen) {
    std::fprintf(stderr, "fuzz: MUSTER_FUZZ is '%s': not one of", name ? name : "");
    for (const auto& t : muster::fuzz::targets())
      std::fprintf(stderr, " %.*s", static_cast<int>(t.name.size()), t.name.data());
    std::fputs("\n", stderr);
    std::exit(2);
  }
  for (int i = 1; i < *argc; ++i)
    if ((*argv)[i][0] != '-') return write_seeds((*argv)[i]), 0;
  return 0;
}

// Each input is a copy of exactly its size, so that a read beyond its end is seen.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->read(muster::payload::copy_of(std::as_bytes(std::span(data, size))));
  return 0;
}
