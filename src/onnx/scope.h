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
  /// Stands for what no node could make, since the model uses more than Braid runs.
  void define_unknown(std::string_view name);
  /// Invalid if the name stands for nothing.
  ValueId find(std::string_view name) const;
  /// Throws Model if the name stands for nothing, UnknownValue if it is unknown.
  ValueId get(std::string_view name) const;
  bool is_unknown(std::string_view name) const;
  /// Lets a name of another scope stand for the same here, also if that is unknown.
  void define_as(std::string_view name, const Scope& other, std::string_view there);

 private:
  const Scope* around_;
  std::unordered_map<std::string_view, ValueId> values_;
};

}  // namespace braid::onnx
