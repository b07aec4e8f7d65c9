#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <braid/value_info.h>

#include "graph/quotas.h"

namespace braid::onnx {

/// What the file of a model says beside what it computes, kept so that another file can say it too.
struct ModelHeader {
  std::string producer_name = {};
  std::string producer_version = {};
  std::string domain = {};
  std::int64_t model_version = 0;
  std::string documentation = {};
  std::string graph_documentation = {};
  std::vector<std::pair<std::string, std::string>> metadata = {};  ///< key, value; in order
  // As the file declares them: -1 is a dimension that it leaves open. Initialisers are no inputs.
  std::vector<ValueInfo> inputs = {};
  std::vector<ValueInfo> outputs = {};
  /// Files that hold weights, as the model names them: below its folder.
  std::set<std::string> data_files = {};
};

/// Reads the header alone. Throws Model if the file is malformed, Quota, before it is taken, if it
/// would take more memory than `metadata_bytes`.
ModelHeader read_header(const std::filesystem::path& path, const Quotas& quotas = {});

}  // namespace braid::onnx
