#include "base/memory.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace braid {
namespace {

class Memory : public testing::Test {
 public:
  ~Memory() override { std::filesystem::remove_all(root_); }

 protected:
  Memory()
      : root_(std::filesystem::temp_directory_path() /
              testing::UnitTest::GetInstance()->current_test_info()->name()) {}

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string root() const { return root_.string(); }

 private:
  std::filesystem::path root_;
};

TEST_F(Memory, AControlGroupBoundsWhatIsFree) {
  EXPECT_EQ(free_memory_bytes(root(), root()), 0);
  write("meminfo", "MemTotal:  100 kB\nMemFree: 20 kB\nMemAvailable:   64 kB\n");
  EXPECT_EQ(free_memory_bytes(root(), root()), 65536);
  write("fs/cgroup/memory.max", "max\n");
  write("fs/cgroup/memory.current", "1000\n");
  EXPECT_EQ(free_memory_bytes(root(), root()), 65536);
  write("fs/cgroup/memory.max", "5096\n");
  EXPECT_EQ(free_memory_bytes(root(), root()), 4096);
  write("fs/cgroup/memory.current", "6000\n");
  EXPECT_EQ(free_memory_bytes(root(), root()), 0);
}

TEST_F(Memory, TheTightestOfNestedControlGroupsBoundsWhatIsFree) {
  write("meminfo", "MemAvailable:   64 kB\n");
  write("self/cgroup", "1:cpu:/other\n0::/outer/inner\n");
  write("fs/cgroup/outer/memory.max", "9000\n");
  write("fs/cgroup/outer/memory.current", "7000\n");
  write("fs/cgroup/outer/inner/memory.max", "8000\n");
  write("fs/cgroup/outer/inner/memory.current", "1000\n");
  EXPECT_EQ(free_memory_bytes(root(), root()), 2000);
  write("self/cgroup", "0::/../outer\n");
  EXPECT_EQ(free_memory_bytes(root(), root()), 65536);
}

}  // namespace
}  // namespace braid
