#include "device/cpu/machine/cores.h"

#include <fstream>

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "device/cpu/cpu_device.h"
#include "device/cpu/machine/machine.h"

namespace braid::cpu {
namespace {

namespace fs = std::filesystem;

class CpuQuota : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "braid-cores-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void version_2(const std::string& group, const std::string& top = "/") const {
    write("proc/self/cgroup", "0::" + group + "\n");
    write("proc/self/mountinfo", "23 1 8:1 / / rw - ext4 /dev/sda rw\n30 23 0:26 " + top +
                                     " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  }

  fs::path root_;
};

TEST_F(CpuQuota, IsNoneWithoutControlGroups) { EXPECT_EQ(cpu_quota(root_), 0); }

TEST_F(CpuQuota, OfVersion2IsTheLeastOnTheWayUp) {
  version_2("/app/worker");
  EXPECT_EQ(cpu_quota(root_), 0);
  write("sys/fs/cgroup/app/worker/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota(root_), 0);
  write("sys/fs/cgroup/app/cpu.max", "250000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 2.5);
  write("sys/fs/cgroup/app/worker/cpu.max", "50000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 0.5);
}

TEST_F(CpuQuota, OfAContainerLiesAtItsMount) {
  version_2("/docker/abc", "/docker/abc");
  write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 1.5);
  version_2("/../elsewhere", "/docker/abc");
  EXPECT_EQ(cpu_quota(root_), 1.5);
}

TEST_F(CpuQuota, OfVersion1) {
  write("proc/self/cgroup", "3:cpuset:/\n2:cpu,cpuacct:/app\n0::/\n");
  write("proc/self/mountinfo",
        "31 23 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
        "32 23 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
  write("sys/fs/cgroup/cpu/app/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/app/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(root_), 0);
  write("sys/fs/cgroup/cpu/app/cpu.cfs_quota_us", "300000\n");
  EXPECT_EQ(cpu_quota(root_), 3);
}

TEST_F(CpuQuota, IsNoneIfTheFilesHoldNonsense) {
  version_2("/app");
  for (const char* text : {"", "many", "0 0", "-5 100000", "100000"}) {
    write("sys/fs/cgroup/app/cpu.max", text);
    EXPECT_EQ(cpu_quota(root_), 0) << text;
  }
}

TEST(UsableCores, FollowTheAffinityMask) {
  if (is_described()) GTEST_SKIP() << "a described machine has the lanes that it has";
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  const Cores all = usable_cores();
  EXPECT_EQ(all.allowed.size(), static_cast<std::size_t>(CPU_COUNT(&before)));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(all.allowed.back(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  const Cores cores = usable_cores();
  const int streams = make_device({})->spec().streams;
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(cores.allowed, std::vector<int>{all.allowed.back()});
  EXPECT_EQ(cores.is_restricted, sysconf(_SC_NPROCESSORS_ONLN) > 1);
  EXPECT_EQ(cores.at_once, 1);
  EXPECT_EQ(streams, 1);
  EXPECT_EQ(make_device({.threads = 5})->spec().streams, 5);
}

}  // namespace
}  // namespace braid::cpu
