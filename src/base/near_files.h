#pragma once

#include <filesystem>
#include <string>

namespace braid {

/// What a message about a file that is not there ends with: "; did you mean model.onnx?", by the
/// names in its folder, of which at most 10,000 are looked at. Empty if none is like it.
std::string did_you_mean_file(const std::filesystem::path& absent);

}  // namespace braid
