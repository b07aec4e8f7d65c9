#include "cli/output_path.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/output_file.h"
#include "base/text.h"
#include "cost/cache_file.h"
#include "onnx/model_header.h"

namespace braid::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& flag, const std::string& file, std::string_view why) {
  raise(ErrorKind::Usage,
        fmt::format("{} would overwrite {}, {}; choose another name, or add --force", flag,
                    quote(file), why));
}

/// The files of a model's weights. A model that cannot be read has none: whoever needs it will say
/// so.
std::vector<fs::path> weights_of(const fs::path& model) {
  std::vector<fs::path> files;
  try {
    for (const std::string& name : onnx::read_header(model).data_files)
      files.push_back(model.parent_path() / name);
  } catch (const Error&) {
    return {};
  }
  return files;
}

/// Where a path leads that may lead to nothing yet: links are followed as far as there are any.
fs::path resolved(fs::path file) {
  constexpr int kMostLinks = 40;
  std::error_code problem;
  for (int i = 0; i < kMostLinks && fs::is_symlink(file, problem); ++i) {
    const fs::path link = fs::read_symlink(file, problem);
    if (problem) break;
    file = file.parent_path() / link;
  }
  const fs::path whole = fs::weakly_canonical(fs::absolute(file, problem), problem);
  return problem ? file.lexically_normal() : whole;
}

bool are_one_file(const Target& one, const Target& other) {
  if (one.file == "-" || other.file == "-") return one.file == other.file;
  std::error_code ignored;
  const fs::path first = resolved(one.file);
  const fs::path second = resolved(other.file);
  const bool is_folder = fs::is_directory(first, ignored);
  const bool is_regular = fs::is_regular_file(first, ignored);
  if (fs::exists(first, ignored) && !is_folder && !is_regular) return false;
  const bool becomes_folder = is_folder || (!is_regular && first.extension().empty());
  if (one.may_be_folder && other.may_be_folder && becomes_folder) return false;
  return first == second || fs::equivalent(first, second, ignored);
}

}  // namespace

bool has_ending_of_model(const fs::path& file) {
  const std::string ending = lower_case(file.extension().string());
  return ending == ".onnx" || ending == ".ort";
}

bool holds_tensors(const fs::path& file) {
  const std::string ending = lower_case(file.extension().string());
  return ending == ".npz" || ending == ".npy" || ending == ".pb";
}

void refuse_to_overwrite(const std::string& flag, const std::string& file,
                         const std::vector<std::string>& read) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return;
  for (const std::string& other : read) {
    if (fs::equivalent(file, other, ignored)) refuse(flag, file, "which is read");
    if (!has_ending_of_model(other)) continue;
    for (const fs::path& weights : weights_of(other))
      if (fs::equivalent(file, weights, ignored)) refuse(flag, file, "which is read");
  }
  if (has_ending_of_model(file)) refuse(flag, file, "a model");
  if (is_profile_cache(file)) refuse(flag, file, "a profile cache");
}

void check_writable(const std::string& flag, const std::string& file, bool may_be_folder) {
  std::error_code ignored;
  const bool is_there = fs::exists(file, ignored);
  // Devices and pipes are opened once only: a reader of a pipe would take a second time for its
  // end.
  if (is_there && !fs::is_regular_file(file, ignored) && !fs::is_directory(file, ignored)) return;
  fs::path probed = file;
  if (may_be_folder && (fs::is_directory(file, ignored) || fs::path(file).extension().empty())) {
    // A folder is made with those around it: the innermost that is there must take it.
    while (!probed.empty() && !fs::exists(probed, ignored)) probed = probed.parent_path();
    probed = (probed.empty() ? fs::path(".") : probed) / ".braid";
  }
  with_note([&] { return fmt::format("while checking that {} can be written", flag); },
            [&] { OutputFile probe(probed); });
}

void check_is_cache(const std::string& flag, const std::string& file) {
  if (const auto why = why_no_cache(file))
    raise(ErrorKind::Usage, fmt::format("{} {}; {} takes a file that it made itself, or a new name",
                                        quote(file), *why, flag));
}

void check_apart(const std::vector<Target>& targets) {
  for (std::size_t i = 0; i < targets.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (are_one_file(targets[k], targets[i]))
        raise(ErrorKind::Usage,
              fmt::format("{} and {} both write {}; give each a name of its own", targets[k].flag,
                          targets[i].flag,
                          targets[i].file == "-" ? "standard output" : quote(targets[i].file)));
}

}  // namespace braid::cli
