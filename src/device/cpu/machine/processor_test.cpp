#include "device/cpu/machine/processor.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "device/cpu/machine/machine_file.h"

namespace braid::cpu {
namespace {

namespace fs = std::filesystem;

/// So that what a machine tells of itself can be described elsewhere.
TEST(Processor, TellsWhatADescriptionMayHold) {
  const Machine& told = ask_processor();
  EXPECT_EQ(parse_machine(machine_text(told, "1.0.0", "a cpu"), "it", told.isa), told);
  EXPECT_EQ(with_defaults(told), told);
  EXPECT_GE(told.cores, 1);
}

TEST(Processor, TakesTheLargestCacheForTheLast) {
  std::string root = fs::temp_directory_path() / "braid-caches-XXXXXX";
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  EXPECT_EQ(last_level_bytes(root), 0);
  const auto write = [&](const char* index, const char* text) {
    const fs::path folder = fs::path(root) / "devices/system/cpu/cpu0/cache" / index;
    fs::create_directories(folder);
    std::ofstream(folder / "size") << text;
  };
  write("index0", "48K\n");
  write("index1", "nonsense\n");
  write("index2", "2048K\n");
  EXPECT_EQ(last_level_bytes(root), std::int64_t{2} << 20);
  write("index3", "260M\n");
  EXPECT_EQ(last_level_bytes(root), std::int64_t{260} << 20);
  fs::remove_all(root);
}

}  // namespace
}  // namespace braid::cpu
