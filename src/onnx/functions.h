#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "onnx/attribute_reader.h"
#include "onnx/node_order.h"
#include "onnx/opsets.h"
#include "onnx/proto.h"

namespace braid::onnx {

/// The functions that a model brings along.
class Functions {
 public:
  /// Throws Model if two functions have the same name.
  explicit Functions(const proto::ModelProto& model);

  /// The function that a node calls; null if it is an operator.
  const proto::FunctionProto* find(const proto::NodeProto& node) const;
  /// How many nodes these are at least when functions are inlined, following calls `depth` deep.
  /// Never more than about 2^62.
  std::int64_t inlined_nodes(const NodeList& nodes, std::int64_t depth) const;
  std::shared_ptr<const Opsets> opsets(const proto::FunctionProto& function);
  /// The attributes that a function's body sees: those of the call, else the defaults. `around` are
  /// those that the caller itself sees, null outside functions.
  std::shared_ptr<const AttributeBindings> bind(const proto::FunctionProto& function,
                                                const proto::NodeProto& call,
                                                const AttributeBindings* around) const;

 private:
  std::unordered_map<std::string, const proto::FunctionProto*> by_name_;
  std::unordered_map<const proto::FunctionProto*, std::shared_ptr<const Opsets>> opsets_;
};

}  // namespace braid::onnx
