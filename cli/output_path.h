#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace braid::cli {

bool has_ending_of_model(const std::filesystem::path& file);
/// Whether the name ends as files of tensors do: .npz, .npy, .pb.
bool holds_tensors(const std::filesystem::path& file);

/// Throws Usage, naming the flag, if the file is there and is a model, a profile cache, or one of
/// `read` or a file of their weights.
void refuse_to_overwrite(const std::string& flag, const std::string& file,
                         const std::vector<std::string>& read);

/// Throws Usage, naming the flag, if the file could not be written now. Leaves nothing behind.
void check_writable(const std::string& flag, const std::string& file, bool may_be_folder);

/// Throws Usage, naming the flag, if the file is there and is no profile cache.
void check_is_cache(const std::string& flag, const std::string& file);

/// What a flag writes, and where; "-" is standard output.
struct Target {
  std::string flag;
  std::string file;
  bool may_be_folder = false;
};

/// Throws Usage, naming both flags, if two of them lead to one file, however it is spelt. Several
/// may write into one folder, or to one device or pipe.
void check_apart(const std::vector<Target>& targets);

}  // namespace braid::cli
