#include "onnx/attribute_reader.h"

#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid::onnx {
namespace {

using Kind = proto::AttributeProto;

/// A bound that no operator reaches; it keeps the sorted list of attributes cheap.
constexpr int kMostAttributes = 256;

std::optional<Attribute> value_of(const proto::AttributeProto& attribute, const std::string& name,
                                  TensorReader& tensors) {
  switch (kind_of(attribute)) {
    case Kind::INT:
      return attribute.i();
    case Kind::FLOAT:
      return attribute.f();
    case Kind::STRING:
      return attribute.s();
    case Kind::INTS:
      return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
    case Kind::FLOATS:
      return std::vector<float>(attribute.floats().begin(), attribute.floats().end());
    case Kind::STRINGS:
      return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
    case Kind::TENSOR:
      if (!attribute.has_t())
        raise(ErrorKind::Model, fmt::format("attribute {} has no tensor", quote(name)));
      return tensors.read(attribute.t(), "attribute " + quote(name));
    case Kind::GRAPH:
    case Kind::GRAPHS:
      return std::nullopt;
    default:
      raise(ErrorKind::Unsupported,
            fmt::format("attribute {} is of the kind {}, which is not supported", quote(name),
                        Kind::AttributeType_Name(kind_of(attribute))));
  }
}

}  // namespace

Kind::AttributeType kind_of(const proto::AttributeProto& attribute) {
  if (attribute.type() != Kind::UNDEFINED) return attribute.type();
  if (attribute.has_f()) return Kind::FLOAT;
  if (attribute.has_i()) return Kind::INT;
  if (attribute.has_s()) return Kind::STRING;
  if (attribute.has_t()) return Kind::TENSOR;
  if (attribute.has_g()) return Kind::GRAPH;
  if (attribute.floats_size() > 0) return Kind::FLOATS;
  if (attribute.ints_size() > 0) return Kind::INTS;
  if (attribute.strings_size() > 0) return Kind::STRINGS;
  raise(ErrorKind::Model, fmt::format("attribute {} has no value", quote(attribute.name())));
}

const proto::AttributeProto* resolve(const proto::AttributeProto& attribute,
                                     const AttributeBindings* bindings) {
  if (attribute.ref_attr_name().empty()) return &attribute;
  if (bindings == nullptr)
    raise(ErrorKind::Model,
          fmt::format("attribute {} refers to an attribute of a function, but is not in one",
                      quote(attribute.name())));
  const auto found = bindings->find(attribute.ref_attr_name());
  return found == bindings->end() ? nullptr : found->second;
}

Attributes read_attributes(const proto::NodeProto& node, const AttributeBindings* bindings,
                           TensorReader& tensors) {
  if (node.attribute_size() > kMostAttributes)
    raise(ErrorKind::Quota, fmt::format("the node has {} attributes, more than {}",
                                        node.attribute_size(), kMostAttributes));
  Attributes attributes;
  for (const auto& attribute : node.attribute()) {
    if (attribute.name().empty()) raise(ErrorKind::Model, "an attribute has no name");
    if (attributes.has(attribute.name()))
      raise(ErrorKind::Model, fmt::format("attribute {} is given twice", quote(attribute.name())));
    const proto::AttributeProto* resolved = resolve(attribute, bindings);
    if (resolved == nullptr) continue;
    if (auto value = value_of(*resolved, attribute.name(), tensors))
      attributes.set(attribute.name(), std::move(*value));
  }
  return attributes;
}

}  // namespace braid::onnx
