#pragma once

#include <filesystem>
#include <string_view>

namespace braid {

/// Where files that are installed with Braid lie: share/braid/<what> beside bin/ or lib/<machine>/
/// of the tree that this program or library is in, and while that is not installed `source`.
std::filesystem::path data_folder(std::string_view what, const std::filesystem::path& source);

}  // namespace braid
