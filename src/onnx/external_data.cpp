#include "onnx/external_data.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "onnx/open_beneath.h"

namespace braid::onnx {
namespace {

void check_location(const std::string& location) {
  const std::filesystem::path path(location);
  const bool plain =
      !location.empty() && location.find('\0') == std::string::npos && path.is_relative() &&
      std::none_of(path.begin(), path.end(), [](const auto& name) { return name == ".."; }) &&
      path.has_filename() && path.filename() != ".";
  if (!plain)
    raise(ErrorKind::Model, fmt::format("external data at {}: expected the name of a file in the "
                                        "model's folder, without '..'",
                                        quote(location)));
}

/// The path with links followed; the caller checks that it lies below the root.
std::filesystem::path resolved(const std::filesystem::path& path) {
  std::error_code problem;
  std::filesystem::path target = std::filesystem::canonical(path, problem);
  if (problem)
    raise(ErrorKind::Model,
          fmt::format("cannot open {}: {}", quote(path.string()), problem.message()));
  return target;
}

}  // namespace

std::shared_ptr<const MappedFile> ExternalData::open(const std::string& location) const {
  check_location(location);
  if (root_.empty()) {
    if (!folder_)
      raise(ErrorKind::Unsupported,
            fmt::format("external data at {}: this model has no folder; say where its data is: "
                        "--external-data-root DIR",
                        quote(location)));
    return map_beneath(*folder_, std::filesystem::path(location).lexically_normal(),
                       HardLinks::Refuse);
  }
  const std::filesystem::path root = resolved(root_);
  const std::filesystem::path target = resolved(folder_.value_or(root) / location);
  const auto [in_root, in_target] =
      std::mismatch(root.begin(), root.end(), target.begin(), target.end());
  if (in_root != root.end())
    raise(ErrorKind::Model, fmt::format("external data at {} leads out of {}", quote(location),
                                        quote(root_.string())));
  return map_beneath(root, target.lexically_relative(root), HardLinks::Allow);
}

ExternalData::Bytes ExternalData::read(const Range& range, std::int64_t size) {
  if (range.offset < 0 || range.length < -1)
    raise(ErrorKind::Model,
          fmt::format("external data at {}: negative offset or length", quote(range.location)));
  if (range.length != -1 && range.length != size)
    raise(ErrorKind::Model, fmt::format("external data at {} has length {}, expected {} bytes",
                                        quote(range.location), range.length, size));
  auto [at, missing] = files_.try_emplace(range.location);
  if (missing) at->second = open(range.location);
  const auto file = at->second->bytes();
  const auto available = static_cast<std::int64_t>(file.size());
  if (range.offset > available || size > available - range.offset)
    raise(ErrorKind::Model,
          fmt::format("external data at {}: bytes {} to {} + {} asked for, but the file has {}",
                      quote(range.location), range.offset, range.offset, size, available));
  return {file.subspan(static_cast<std::size_t>(range.offset), static_cast<std::size_t>(size)),
          at->second};
}

}  // namespace braid::onnx
