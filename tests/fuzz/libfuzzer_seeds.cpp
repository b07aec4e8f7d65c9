// With libFuzzer: TARGET with BRAID_FUZZ_WRITE_SEEDS=FOLDER in its environment writes what seeds()
// makes, and ends.

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/fuzz.h"

extern "C" __attribute__((visibility("default"))) int LLVMFuzzerInitialize(int* /*count*/,
                                                                           char*** /*arguments*/) {
  const char* folder = std::getenv("BRAID_FUZZ_WRITE_SEEDS");
  if (folder == nullptr) return 0;
  std::filesystem::create_directories(folder);
  std::size_t number = 0;
  for (const std::string& seed : braid::fuzz::seeds())
    std::ofstream(std::filesystem::path(folder) / ("seed_" + std::to_string(number++)),
                  std::ios::binary)
        << seed;
  std::exit(0);
}
