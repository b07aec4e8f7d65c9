#pragma once

#include <filesystem>

namespace braid::cli {

/// A fresh folder that only we can read; it goes with what is in it. Throws Quota if none can be
/// made.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace braid::cli
