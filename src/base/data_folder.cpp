#include "base/data_folder.h"

#include <optional>

#include <dlfcn.h>

namespace braid {
namespace {

namespace fs = std::filesystem;

/// The program or shared library that this code is part of.
std::optional<fs::path> own_file() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&data_folder), &info) == 0 || info.dli_fname == nullptr)
    return std::nullopt;
  std::error_code failed;
  fs::path path = fs::canonical(info.dli_fname, failed);
  // A program's own name is what it was called by, which need not be a path.
  if (failed) path = fs::canonical("/proc/self/exe", failed);
  if (failed) return std::nullopt;
  return path;
}

}  // namespace

fs::path data_folder(std::string_view what, const fs::path& source) {
  std::error_code failed;
  if (const auto file = own_file()) {
    fs::path folder = file->parent_path();
    for (int up = 0; up < 3 && folder.has_relative_path(); ++up) {
      folder = folder.parent_path();
      const fs::path candidate = folder / "share" / "braid" / what;
      if (fs::is_directory(candidate, failed)) return candidate;
    }
  }
  return source;
}

}  // namespace braid
