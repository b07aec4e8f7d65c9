#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/graph.h"

namespace braid::onnx {

/// What values are called in a model. An output of a model is a value of that name, so a value
/// takes the name of the graph output it is; where it cannot (it is an input or a constant, or has
/// two such names), a copy does.
class ExportNames {
 public:
  explicit ExportNames(const Graph& graph);

  const std::string& of(ValueId value) const { return names_[value.at()]; }
  /// Outputs that an Identity node makes.
  struct Copy {
    ValueId from;
    std::string name;
  };
  const std::vector<Copy>& copies() const { return copies_; }
  /// A name that nothing has, like `wish`.
  std::string fresh(const std::string& wish);

 private:
  std::vector<std::string> names_;
  std::vector<Copy> copies_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> suffixes_;
};

}  // namespace braid::onnx
