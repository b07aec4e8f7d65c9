#pragma once

#include <string_view>
#include <unordered_map>

#include "graph/ids.h"

namespace braid::onnx {

/// The values that names stand for in one graph or function body; a graph in an attribute sees
/// those of the graphs around it unless it has its own of that name. The names are views into the
/// parsed model.
class Scope {
 public:
  explicit Scope(const Scope* around) : around_(around) {}

  /// Throws Model if the name is empty or already stands for a value here.
  void define(std::string_view name, ValueId value);
  /// Invalid if the name stands for nothing.
  ValueId find(std::string_view name) const;
  /// Throws Model if the name stands for nothing.
  ValueId get(std::string_view name) const;

 private:
  const Scope* around_;
  std::unordered_map<std::string_view, ValueId> values_;
};

}  // namespace braid::onnx
