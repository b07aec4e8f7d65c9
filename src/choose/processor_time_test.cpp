#include "choose/processor_time.h"

#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace braid {
namespace {

namespace fs = std::filesystem;

class ProcessorTimes : public testing::Test {
 protected:
  ProcessorTimes() {
    std::string name = testing::TempDir() + "braid-proc-XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~ProcessorTimes() override { fs::remove_all(root_); }

  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  fs::path root_;
};

TEST_F(ProcessorTimes, AreSummedOverThreads) {
  write("proc/self/task/11/schedstat", "3000000000 1000000000 7\n");
  write("proc/self/task/12/schedstat", "1000000000 500000000 7\n");
  write("proc/stat", "cpu  1 2 3 4 5 6 7 0 0 0\ncpu0 1 2 3\n");
  const auto time = processor_time(root_);
  ASSERT_TRUE(time);
  EXPECT_DOUBLE_EQ(time->ran_s, 4);
  EXPECT_DOUBLE_EQ(time->waited_s, 1.5);
  EXPECT_DOUBLE_EQ(time->stolen_s, 0);
}

TEST_F(ProcessorTimes, KnowWhatOtherGuestsTook) {
  write("proc/self/task/11/schedstat", "1 1 1\n");
  write("proc/stat", "cpu  0 0 0 0 0 0 0 " + std::to_string(3 * ::sysconf(_SC_CLK_TCK)) + " 0 0\n");
  EXPECT_DOUBLE_EQ(processor_time(root_)->stolen_s, 3);
}

TEST_F(ProcessorTimes, AreUnknownWhereTheSystemDoesNotTell) {
  EXPECT_FALSE(processor_time(root_));
  write("proc/self/task/11/schedstat", "nothing of the sort\n");
  EXPECT_FALSE(processor_time(root_));
  EXPECT_FALSE(share_of_others(std::nullopt, ProcessorTime{1, 1, 0}));
}

TEST(ShareOfOthers, IsThatOfTheTimeAskedFor) {
  EXPECT_DOUBLE_EQ(*share_of_others(ProcessorTime{1, 1, 1}, ProcessorTime{4, 1.5, 1.5}), 0.25);
  EXPECT_DOUBLE_EQ(*share_of_others(ProcessorTime{1, 1, 1}, ProcessorTime{2, 1, 1}), 0);
}

TEST(ShareOfOthers, OfNothingIsUnknown) {
  EXPECT_FALSE(share_of_others(ProcessorTime{4, 2, 0}, ProcessorTime{4, 2, 0}));
}

}  // namespace
}  // namespace braid
