#pragma once

#include <string_view>
#include <unordered_map>

#include "graph/attributes.h"
#include "onnx/proto.h"
#include "onnx/tensor_reader.h"

namespace braid::onnx {

/// The attributes with which a function is called, by name.
using AttributeBindings = std::unordered_map<std::string_view, const proto::AttributeProto*>;

/// An attribute itself, or what it refers to inside a function; null if the caller left that out.
/// `bindings` is null outside functions. Throws Model on a reference there.
const proto::AttributeProto* resolve(const proto::AttributeProto& attribute,
                                     const AttributeBindings* bindings);

/// The kind of an attribute, also of one that does not state it.
proto::AttributeProto::AttributeType kind_of(const proto::AttributeProto& attribute);

/// Every attribute of a node but graphs. Throws Model on names that are missing or repeated,
/// Unsupported on kinds that no operator of ours has.
Attributes read_attributes(const proto::NodeProto& node, const AttributeBindings* bindings,
                           TensorReader& tensors);

}  // namespace braid::onnx
