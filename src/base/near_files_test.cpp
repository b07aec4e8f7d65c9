#include "base/near_files.h"

#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace braid {
namespace {

class NearFiles : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name) { std::ofstream(folder_ / name) << "x"; }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("near_files_test." + std::to_string(::getpid()));
};

TEST_F(NearFiles, NamesTheFileThatWasMeant) {
  write("model.onnx");
  write("other.npz");
  EXPECT_EQ(did_you_mean_file(folder_ / "modell.onnx"),
            "; did you mean " + (folder_ / "model.onnx").string() + "?");
  EXPECT_EQ(did_you_mean_file(folder_ / "unlike.txt"), "");
}

TEST_F(NearFiles, SaysNothingOfFoldersThatAreNotThere) {
  EXPECT_EQ(did_you_mean_file(folder_ / "none" / "model.onnx"), "");
}

}  // namespace
}  // namespace braid
