#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "sim/gpu_spec.h"

namespace braid::sim {
namespace {

namespace fs = std::filesystem;

/// The program or shared library that this code is part of.
std::optional<fs::path> own_file() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&gpu_names), &info) == 0 || info.dli_fname == nullptr)
    return std::nullopt;
  std::error_code failed;
  fs::path path = fs::canonical(info.dli_fname, failed);
  // A program's own name is what it was called by, which need not be a path.
  if (failed) path = fs::canonical("/proc/self/exe", failed);
  if (failed) return std::nullopt;
  return path;
}

/// share/braid/gpus beside bin/ or lib/<machine>/ of the installed tree; else the source folder.
fs::path gpu_folder() {
  std::error_code failed;
  if (const auto file = own_file()) {
    fs::path folder = file->parent_path();
    for (int up = 0; up < 3 && folder.has_relative_path(); ++up) {
      folder = folder.parent_path();
      const fs::path candidate = folder / "share" / "braid" / "gpus";
      if (fs::is_directory(candidate, failed)) return candidate;
    }
  }
  return BRAID_GPU_SOURCE_FOLDER;
}

std::string read_text(const fs::path& path) {
  const auto file = MappedFile::open(path);
  return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
}

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".json");
}

}  // namespace

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(gpu_folder(), failed))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

GpuSpec load_gpu_spec(std::string_view name_or_path) {
  if (is_path(name_or_path)) return parse_gpu_spec(read_text(fs::path(name_or_path)), name_or_path);
  const std::vector<std::string> names = gpu_names();
  if (std::find(names.begin(), names.end(), name_or_path) == names.end())
    raise(ErrorKind::Usage,
          fmt::format("there is no simulated GPU {}; there are: {}; or give a spec file as "
                      "sim:./my-gpu.json",
                      quote(name_or_path), fmt::join(names, ", ")));
  const fs::path path = gpu_folder() / fmt::format("{}.json", name_or_path);
  return parse_gpu_spec(read_text(path), path.string());
}

}  // namespace braid::sim
