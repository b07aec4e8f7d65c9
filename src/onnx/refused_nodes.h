#pragma once

#include <unordered_set>

#include "onnx/functions.h"
#include "onnx/proto.h"
#include "onnx/refusal.h"

namespace braid::onnx {

/// Notes nodes, inputs and tensors that Braid refuses whatever is around them.
class RefusedNodes {
 public:
  /// Both must outlive it.
  RefusedNodes(const Functions& functions, Refusals& refusals)
      : functions_(functions), refusals_(refusals) {}

  /// Whether the operator is one that Braid does not run, which is noted. `opset` is that of ONNX's
  /// own operators; 0: it is not stated.
  bool refuse(const proto::NodeProto& node, int opset);
  /// Notes what the graphs in a node's attributes, and the functions that they and the node call,
  /// hold. Each function is looked at once.
  void refuse_inside(const proto::NodeProto& node, int opset);
  /// Whether an input or output of the model is nothing that Braid takes, which is noted.
  bool refuse(const proto::ValueInfoProto& value);
  bool refuse_type(int data_type, std::string_view of);
  /// Notes that a use of an operator is refused.
  void refuse(const proto::NodeProto& node, const Error& error);

 private:
  const Functions& functions_;
  Refusals& refusals_;
  std::unordered_set<const proto::FunctionProto*> seen_;
};

/// "sequence" or the like, for what is declared as no tensor; empty for a tensor.
std::string_view other_than_tensor(const proto::ValueInfoProto& value);

}  // namespace braid::onnx
