#pragma once

#include <filesystem>
#include <memory>

#include "base/mapped_file.h"

namespace braid::onnx {

/// How many names (hard links) a file may have.
enum class HardLinks { Refuse, Allow };

/// Maps the regular file `relative` below `folder`. No symbolic link in `relative` is followed and
/// the folder is never left, whatever others do to the file system meanwhile: each component is
/// opened by itself, relative to the one before. Throws Model.
std::shared_ptr<const MappedFile> map_beneath(const std::filesystem::path& folder,
                                              const std::filesystem::path& relative,
                                              HardLinks hard_links);

}  // namespace braid::onnx
