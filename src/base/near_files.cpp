#include "base/near_files.h"

#include <algorithm>
#include <vector>

#include "base/nearest.h"

namespace braid {

namespace fs = std::filesystem;

std::string did_you_mean_file(const fs::path& absent) {
  constexpr std::size_t kMostFiles = 10'000;
  const fs::path folder = absent.parent_path();
  std::vector<std::string> names;
  std::error_code failed;
  fs::directory_iterator at(folder.empty() ? fs::path(".") : folder, failed);
  for (; !failed && at != fs::directory_iterator() && names.size() < kMostFiles;
       at.increment(failed))
    names.push_back(at->path().filename().string());
  std::ranges::sort(names);  // folders have no order
  const std::string found = nearest(absent.filename().string(), names);
  if (found.empty()) return {};
  return did_you_mean(absent.string(), std::vector{(folder / found).string()});
}

}  // namespace braid
