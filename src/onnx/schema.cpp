#include "onnx/schema.h"

#include <array>
#include <span>

namespace braid::onnx {
namespace {

constexpr FieldRule keep(std::uint32_t number) { return {number, FieldAction::Keep}; }
constexpr FieldRule mark(std::uint32_t number) { return {number, FieldAction::Mark}; }
constexpr FieldRule descend(std::uint32_t number, MessageKind kind) {
  return {number, FieldAction::Descend, kind};
}

using M = MessageKind;

/// The fields of onnx.proto that Braid reads; every other one is left out.
std::span<const FieldRule> rules_of(MessageKind kind) {
  // ir_version, producer_name, producer_version, graph, opset_import, functions
  static constexpr std::array kModel = {keep(1),
                                        keep(2),
                                        keep(3),
                                        descend(7, M::Graph),
                                        descend(8, M::OpsetId),
                                        descend(25, M::Function)};
  // node, name, initializer, input, output, sparse_initializer
  static constexpr std::array kGraph = {descend(1, M::Node),       keep(2),
                                        descend(5, M::Tensor),     descend(11, M::ValueInfo),
                                        descend(12, M::ValueInfo), descend(15, M::SparseTensor)};
  // input, output, name, op_type, attribute, domain, overload
  static constexpr std::array kNode = {keep(1), keep(2), keep(3), keep(4), descend(5, M::Attribute),
                                       keep(7), keep(8)};
  // name, f, i, s, t, g, floats, ints, strings, tensors, graphs, type, ref_attr_name
  static constexpr std::array kAttribute = {keep(1),
                                            keep(2),
                                            keep(3),
                                            keep(4),
                                            descend(5, M::Tensor),
                                            descend(6, M::Graph),
                                            keep(7),
                                            keep(8),
                                            keep(9),
                                            descend(10, M::Tensor),
                                            descend(11, M::Graph),
                                            keep(20),
                                            keep(21)};
  // dims, data_type, name, external_data, data_location
  static constexpr std::array kTensor = {keep(1), keep(2), keep(8), descend(13, M::Entry),
                                         keep(14)};
  // values
  static constexpr std::array kSparseTensor = {descend(1, M::Tensor)};
  // name, input, output, attribute, node, opset_import, domain, attribute_proto, overload
  static constexpr std::array kFunction = {keep(1),
                                           keep(4),
                                           keep(5),
                                           keep(6),
                                           descend(7, M::Node),
                                           descend(9, M::OpsetId),
                                           keep(10),
                                           descend(11, M::Attribute),
                                           keep(13)};
  // name, type
  static constexpr std::array kValueInfo = {keep(1), descend(2, M::Type)};
  // tensor, sequence, map, opaque, sparse tensor, optional
  static constexpr std::array kType = {
      descend(1, M::TensorType), mark(4), mark(5), mark(7), mark(8), mark(9)};
  // elem_type, shape
  static constexpr std::array kTensorType = {keep(1), descend(2, M::Shape)};
  static constexpr std::array kShape = {descend(1, M::Dimension)};
  // dim_value, dim_param; key, value; domain, version
  static constexpr std::array kPair = {keep(1), keep(2)};
  switch (kind) {
    case M::Model:
      return kModel;
    case M::Graph:
      return kGraph;
    case M::Node:
      return kNode;
    case M::Attribute:
      return kAttribute;
    case M::Tensor:
      return kTensor;
    case M::SparseTensor:
      return kSparseTensor;
    case M::Function:
      return kFunction;
    case M::ValueInfo:
      return kValueInfo;
    case M::Type:
      return kType;
    case M::TensorType:
      return kTensorType;
    case M::Shape:
      return kShape;
    case M::Dimension:
    case M::Entry:
    case M::OpsetId:
      return kPair;
  }
  return {};
}

}  // namespace

const FieldRule* find_rule(MessageKind kind, std::uint32_t number) {
  for (const FieldRule& rule : rules_of(kind))
    if (rule.number == number) return &rule;
  return nullptr;
}

}  // namespace braid::onnx
