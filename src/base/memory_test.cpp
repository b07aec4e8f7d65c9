#include "base/memory.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace braid {
namespace {

constexpr const char* kVersion2 = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

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
  EXPECT_EQ(free_memory_bytes(root()), 0);
  write("proc/meminfo", "MemTotal:  100 kB\nMemFree: 20 kB\nMemAvailable:   64 kB\n");
  EXPECT_EQ(free_memory_bytes(root()), 65536);
  write("sys/fs/cgroup/memory.max", "max\n");
  write("sys/fs/cgroup/memory.current", "1000\n");
  EXPECT_EQ(free_memory_bytes(root()), 65536);
  write("sys/fs/cgroup/memory.max", "5096\n");
  EXPECT_EQ(free_memory_bytes(root()), 4096);
  write("sys/fs/cgroup/memory.current", "6000\n");
  EXPECT_EQ(free_memory_bytes(root()), 0);
  write("sys/fs/cgroup/memory.stat", "anon 1\nactive_file 3000\ninactive_file 904\nfile 9999\n");
  EXPECT_EQ(free_memory_bytes(root()), 3000);
}

TEST_F(Memory, TheTightestOfNestedControlGroupsBoundsWhatIsFree) {
  write("proc/meminfo", "MemAvailable:   64 kB\n");
  write("proc/self/cgroup", "1:cpu:/other\n0::/outer/inner\n");
  write("proc/self/mountinfo", kVersion2);
  write("sys/fs/cgroup/outer/memory.max", "9000\n");
  write("sys/fs/cgroup/outer/memory.current", "7000\n");
  write("sys/fs/cgroup/outer/inner/memory.max", "8000\n");
  write("sys/fs/cgroup/outer/inner/memory.current", "1000\n");
  EXPECT_EQ(free_memory_bytes(root()), 2000);
  EXPECT_EQ(control_group_memory(root()), 8000);
  write("proc/self/cgroup", "0::/../outer\n");
  EXPECT_EQ(free_memory_bytes(root()), 65536);
}

TEST_F(Memory, AGroupOfVersion1WithoutAMountOfItsOwnIsFound) {
  write("proc/self/cgroup", "9:name=systemd:/\n4:memory:/jobs/one\n0::/\n");
  write("proc/self/mountinfo",
        "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(control_group_memory(root()), 9223372036854771712);
  write("sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes", "5000\n");
  write("sys/fs/cgroup/memory/jobs/one/memory.usage_in_bytes", "3000\n");
  EXPECT_EQ(control_group_memory(root()), 5000);
  EXPECT_EQ(free_memory_bytes(root()), 2000);
  write("sys/fs/cgroup/memory/jobs/one/memory.stat", "active_file 1\ntotal_inactive_file 500\n");
  EXPECT_EQ(free_memory_bytes(root()), 2500);
}

TEST_F(Memory, AGroupInsideAContainersGroupIsFound) {
  write("proc/self/cgroup", "0::/docker/abc/inner\n");
  write("proc/self/mountinfo", "30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write("sys/fs/cgroup/inner/memory.max", "7000\n");
  EXPECT_EQ(control_group_memory(root()), 7000);
}

TEST_F(Memory, TheProcesssOwnLimitsBoundWhatIsFree) {
  write("proc/meminfo", "MemAvailable:   64 kB\n");
  write("proc/self/status", "VmSize:\t      12 kB\nVmData:\t  4 kB\n");
  write("proc/self/limits", "Max data size             unlimited   unlimited   bytes\n");
  EXPECT_EQ(free_memory_bytes(root()), 65536);
  write("proc/self/limits",
        "Max data size             20480     unlimited   bytes\n"
        "Max address space         20480     20480       bytes\n");
  EXPECT_EQ(free_memory_bytes(root()), 8192);
}

}  // namespace
}  // namespace braid
