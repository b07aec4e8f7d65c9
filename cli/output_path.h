#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace braid::cli {

bool has_ending_of_model(const std::filesystem::path& file);

/// Throws Usage, naming the flag, if the file is there and is a model, or one of `read`.
void refuse_to_overwrite(const std::string& flag, const std::string& file,
                         const std::vector<std::string>& read);

/// Throws Usage, naming the flag, if the file could not be written now. Leaves nothing behind.
void check_writable(const std::string& flag, const std::string& file, bool may_be_folder);

}  // namespace braid::cli
