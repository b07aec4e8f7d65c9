#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include <braid/tensor.h>

#include "base/each_once.h"
#include "base/progress.h"
#include "graph/graph.h"
#include "graph/quotas.h"

namespace braid::onnx {

inline constexpr int kOldestOpset = 7;
inline constexpr int kNewestOpset = 28;
inline constexpr int kNewestIr = 14;

struct LoadOptions {
  // What the model leaves open.
  std::map<std::string, Dims> shapes;          ///< input name → shape
  std::map<std::string, std::int64_t> dims;    ///< symbolic dimension → size
  std::int64_t batch = 0;                      ///< the first dimension of all inputs; 0: not said
  std::map<std::string, Tensor> fixed_inputs;  ///< inputs that become constants with these elements

  // What the model may do.
  std::filesystem::path external_data_root;  ///< empty: the model's own folder, and no links
  Quotas quotas;

  /// Told of what the model says of itself and is not so.
  Warn warn = {};
  Progress progress;
};

/// Reads an ONNX model: opset 7 to 28, IR version up to 14.
///
/// Weights stay in the mapped file, which must not change while the graph lives. Functions of the
/// model and `If` nodes whose condition is known are inlined; operators in older forms are written
/// in the form of their definition. Values and nodes keep their names.
///
/// The file is not trusted. Throws Model (malformed), Unsupported (valid, but more than Braid
/// handles), Quota (too large), Usage (the options do not fit the model, or leave a dimension
/// open), Cancelled; each names the node or value, with notes that tell where it was met.
Graph load(const std::filesystem::path& path, const LoadOptions& options = {});

/// The same from memory that lives as long as `owner`. `external_data_root`, if given, is the
/// folder of external data.
Graph load_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                 const LoadOptions& options = {});

}  // namespace braid::onnx
