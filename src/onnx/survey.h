#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "onnx/load.h"
#include "onnx/refusal.h"

namespace braid::onnx {

/// An input or output as the file declares it, also if Braid has no such type.
struct DeclaredValue {
  std::string name;
  std::string type;     ///< "f32"; "STRING", "sequence": not supported; empty: not stated
  bool shaped = false;  ///< false: the file does not say how many dimensions it has
  Dims dims;            ///< -1: open
  std::vector<std::string> symbols;  ///< of open dimensions; empty: it has none
};

/// What can be told of a model whether or not Braid runs it.
struct Survey {
  std::string name;
  int opset = 0;                ///< 0: not stated
  std::int64_t parameters = 0;  ///< elements of all initialisers
  std::vector<DeclaredValue> inputs;
  std::vector<DeclaredValue> outputs;
  std::map<std::string, std::int64_t> operator_counts;  ///< of the model's own graph
  /// What stops load(), all of it. What a node that is refused would make is not known, and a node
  /// that reads it is looked at by its name alone.
  std::vector<Refusal> refusals;
  std::string open;  ///< what would close dimensions that are open; empty: none is
};

/// Reads as load() does, but goes on behind what Braid does not support. Throws for everything else
/// that load() throws for.
Survey survey(const std::filesystem::path& path, const LoadOptions& options = {});
Survey survey_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                    const LoadOptions& options = {});

/// "f32[batch,3,?]"
std::string type_text(const DeclaredValue& value);

}  // namespace braid::onnx
