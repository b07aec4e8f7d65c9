#include "base/mapped_file.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"

namespace braid {
namespace {

class MappedFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "braid-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string complaint(const std::filesystem::path& path) {
    try {
      MappedFile::open(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Model);
      return error.message();
    }
    return "no error";
  }

  std::filesystem::path folder_;
};

TEST_F(MappedFiles, HoldTheBytes) {
  std::ofstream(folder_ / "a") << "hello";
  const auto file = MappedFile::open(folder_ / "a");
  ASSERT_EQ(file->bytes().size(), 5);
  EXPECT_EQ(static_cast<char>(file->bytes()[4]), 'o');
}

TEST_F(MappedFiles, MayBeEmpty) {
  std::ofstream(folder_ / "empty").flush();
  EXPECT_TRUE(MappedFile::open(folder_ / "empty")->bytes().empty());
}

TEST_F(MappedFiles, OutliveTheName) {
  std::ofstream(folder_ / "a") << "hello";
  const auto file = MappedFile::open(folder_ / "a");
  std::filesystem::remove(folder_ / "a");
  EXPECT_EQ(static_cast<char>(file->bytes()[0]), 'h');
}

TEST_F(MappedFiles, SayWhatIsWrong) {
  EXPECT_EQ(complaint(folder_ / "none"),
            "cannot open '" + (folder_ / "none").string() + "': No such file or directory");
  EXPECT_EQ(complaint(folder_), "'" + folder_.string() + "' is not a regular file");
  // Opening a FIFO that nothing writes to must not wait.
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(complaint(folder_ / "fifo"),
            "'" + (folder_ / "fifo").string() + "' is not a regular file");
}

}  // namespace
}  // namespace braid
