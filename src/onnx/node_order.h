#pragma once

#include <vector>

#include "onnx/proto.h"

namespace braid::onnx {

using NodeList = google::protobuf::RepeatedPtrField<proto::NodeProto>;

/// The positions of the nodes so that each comes after those whose outputs it, or a graph in its
/// attributes, reads; as in the file where the file is in order. Throws Model, naming a node, if
/// there is a cycle.
std::vector<int> execution_order(const NodeList& nodes);

/// "'conv_3' (Conv)", by its first output if it has no name.
std::string describe(const proto::NodeProto& node);

}  // namespace braid::onnx
