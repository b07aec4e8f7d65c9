#include "cli/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid::cli {

TemporaryFolder::TemporaryFolder() {
  std::error_code failed;
  std::filesystem::path parent = std::filesystem::temp_directory_path(failed);
  if (failed) parent = "/tmp";
  std::string pattern = parent / "braid-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr)
    raise(ErrorKind::Quota, fmt::format("cannot make a folder in {}: {}; TMPDIR names another",
                                        quote(parent.string()), std::strerror(errno)));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code failed;
  std::filesystem::remove_all(path_, failed);
}

}  // namespace braid::cli
