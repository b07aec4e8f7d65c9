#pragma once

#include <cstdint>

namespace braid::onnx {

/// The messages of onnx.proto that Braid reads.
enum class MessageKind : std::uint8_t {
  Model,
  Graph,
  Node,
  Attribute,
  Tensor,
  SparseTensor,
  Function,
  ValueInfo,
  Type,
  TensorType,
  Shape,
  Dimension,
  Entry,
  OpsetId,
};

enum class FieldAction : std::uint8_t {
  Keep,
  Descend,  ///< into a message whose own fields are chosen
  Mark,     ///< keep the field but not its contents: it only matters whether it is there
};

struct FieldRule {
  std::uint32_t number;
  FieldAction action;
  MessageKind kind = MessageKind::Model;  ///< of Descend
};

/// The rule for a field; null if Braid does not read it.
const FieldRule* find_rule(MessageKind kind, std::uint32_t number);

}  // namespace braid::onnx
