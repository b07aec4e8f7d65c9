#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <braid/value_info.h>

#include "onnx/load.h"

namespace braid::onnx {

/// What a model reads and gives, as far as its file and the options say.
struct Interface {
  std::vector<ValueInfo> inputs;
  std::vector<std::string> outputs;
};

/// Reads the signature alone: no node is looked at. Unlike load() it leaves dimensions open that
/// nothing binds.
Interface read_interface(const std::filesystem::path& path, const LoadOptions& options = {});

/// "f32[batch,3,?,8]": an input's type with the names of what is open.
std::string type_text(const ValueInfo& input);

}  // namespace braid::onnx
