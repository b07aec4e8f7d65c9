#include "cli/output_path.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/output_file.h"
#include "base/text.h"

namespace braid::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& flag, const std::string& file, std::string_view why) {
  raise(ErrorKind::Usage,
        fmt::format("{} would overwrite {}, {}; choose another name, or add --force", flag,
                    quote(file), why));
}

}  // namespace

bool has_ending_of_model(const fs::path& file) {
  const std::string ending = lower_case(file.extension().string());
  return ending == ".onnx" || ending == ".ort";
}

void refuse_to_overwrite(const std::string& flag, const std::string& file,
                         const std::vector<std::string>& read) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return;
  for (const std::string& other : read)
    if (fs::equivalent(file, other, ignored)) refuse(flag, file, "which is read");
  if (has_ending_of_model(file)) refuse(flag, file, "a model");
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

}  // namespace braid::cli
