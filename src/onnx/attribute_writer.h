#pragma once

#include <string>

#include "graph/attributes.h"
#include "onnx/proto.h"

namespace braid::onnx {

void write_attribute(const std::string& name, const Attribute& value, proto::AttributeProto& to);
proto::TensorProto to_proto(const Tensor& tensor);
void write_value_info(const std::string& name, const TensorType& type, proto::ValueInfoProto& to);

}  // namespace braid::onnx
