#pragma once

#include <filesystem>
#include <memory>

#include "base/mapped_file.h"

namespace braid::onnx {

/// Whether a file may have several names (hard links).
enum class HardLinks { Refuse, Allow };

/// Maps the regular file `relative` below `folder`. No symbolic link in `relative` is followed and
/// the folder is never left, even if others change the file system meanwhile: each component is
/// opened by itself, relative to the one before. Throws Model.
std::shared_ptr<const MappedFile> map_beneath(const std::filesystem::path& folder,
                                              const std::filesystem::path& relative,
                                              HardLinks hard_links);

}  // namespace braid::onnx
