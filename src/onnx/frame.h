#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnx/attribute_reader.h"
#include "onnx/node_order.h"
#include "onnx/opsets.h"
#include "onnx/scope.h"

namespace braid::onnx {

/// A list of nodes being read: the model's graph, the body of a called function, or a branch.
struct Frame {
  explicit Frame(const Scope* around) : scope(around) {}

  const NodeList* nodes = nullptr;
  std::vector<int> order;
  std::size_t next = 0;
  Scope scope;
  std::shared_ptr<const Opsets> opsets;
  std::shared_ptr<const AttributeBindings> bindings;  ///< null outside functions
  const proto::FunctionProto* function = nullptr;     ///< of a function's own body

  // Only a frame inside another one has these.
  const proto::NodeProto* call = nullptr;
  std::string prefix;  ///< of the names of its values
  /// The outputs, and how the caller calls them: name inside, name outside.
  std::vector<std::pair<std::string_view, std::string_view>> results;
  /// Names inside that become a name outside as it stands.
  std::unordered_map<std::string_view, std::string> given_names;
};

}  // namespace braid::onnx
