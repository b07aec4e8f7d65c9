#include "onnx/refused_nodes.h"

#include <vector>

#include "onnx/opsets.h"
#include "onnx/unsupported.h"

namespace braid::onnx {
namespace {

std::string label_of(const proto::NodeProto& node) {
  return node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
}

std::string domain_text(const proto::NodeProto& node) {
  return std::string(plain_domain(node.domain()));
}

}  // namespace

bool RefusedNodes::refuse(const proto::NodeProto& node, int opset) {
  if (functions_.find(node) != nullptr) return false;
  const auto why = why_unsupported(node.domain(), node.op_type(), opset);
  if (!why) return false;
  refusals_.add({Refusal::Kind::Operator, node.op_type(), domain_text(node), 1, label_of(node),
                 why->reason, why->advice});
  return true;
}

void RefusedNodes::refuse_inside(const proto::NodeProto& node, int opset) {
  std::vector<const NodeList*> pending;
  const auto open = [&](const proto::NodeProto& holder) {
    for (const auto& attribute : holder.attribute()) {
      if (attribute.has_g()) pending.push_back(&attribute.g().node());
      for (const auto& graph : attribute.graphs()) pending.push_back(&graph.node());
    }
    const auto* function = functions_.find(holder);
    if (function != nullptr && seen_.insert(function).second) pending.push_back(&function->node());
  };
  open(node);
  while (!pending.empty()) {
    const NodeList& nodes = *pending.back();
    pending.pop_back();
    for (const auto& inner : nodes) {
      refuse(inner, opset);
      open(inner);
    }
  }
}

bool RefusedNodes::refuse(const proto::ValueInfoProto& value) {
  const std::string_view other = other_than_tensor(value);
  if (other.empty()) {
    const int type = value.type().tensor_type().elem_type();
    return type != proto::TensorProto::UNDEFINED && refuse_type(type, value.name());
  }
  refusals_.add({Refusal::Kind::Type, std::string(other), "", 1, value.name(),
                 "inputs and outputs are tensors", "export it with tensors in its place"});
  return true;
}

bool RefusedNodes::refuse_type(int data_type, std::string_view of) {
  const auto why = why_unsupported_type(data_type);
  if (!why) return false;
  refusals_.add({Refusal::Kind::Type, type_name(data_type), "", 1, std::string(of), why->reason,
                 why->advice});
  return true;
}

void RefusedNodes::refuse(const proto::NodeProto& node, const Error& error) {
  refusals_.add({Refusal::Kind::Use, node.op_type(), domain_text(node), 1, label_of(node),
                 error.message(), ""});
}

std::string_view other_than_tensor(const proto::ValueInfoProto& value) {
  const auto& type = value.type();
  if (type.has_sequence_type()) return "sequence";
  if (type.has_map_type()) return "map";
  if (type.has_optional_type()) return "optional";
  if (type.has_sparse_tensor_type()) return "sparse tensor";
  return type.value_case() == proto::TypeProto::VALUE_NOT_SET || type.has_tensor_type() ? ""
                                                                                        : "value";
}

}  // namespace braid::onnx
