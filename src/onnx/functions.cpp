#include "onnx/functions.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid::onnx {
namespace {

std::string key_of(std::string_view domain, std::string_view name, std::string_view overload) {
  std::string key(plain_domain(domain));
  for (const std::string_view part : {name, overload}) (key += '\0') += part;
  return key;
}

}  // namespace

Functions::Functions(const proto::ModelProto& model) {
  for (const auto& function : model.functions())
    if (!by_name_
             .emplace(key_of(function.domain(), function.name(), function.overload()), &function)
             .second)
      raise(ErrorKind::Model, fmt::format("function {} of domain {} is defined twice",
                                          quote(function.name()), quote(function.domain())));
}

const proto::FunctionProto* Functions::find(const proto::NodeProto& node) const {
  if (by_name_.empty()) return nullptr;
  const auto found = by_name_.find(key_of(node.domain(), node.op_type(), node.overload()));
  return found == by_name_.end() ? nullptr : found->second;
}

std::int64_t Functions::inlined_nodes(const NodeList& nodes, std::int64_t depth) const {
  if (by_name_.empty()) return nodes.size();
  struct Body {
    std::int64_t operators = 0;
    std::vector<const proto::FunctionProto*> calls;
  };
  const auto read = [&](const NodeList& list) {
    Body body;
    for (const auto& node : list)
      if (const auto* function = find(node))
        body.calls.push_back(function);
      else
        ++body.operators;
    return body;
  };
  using Sizes = std::unordered_map<const proto::FunctionProto*, std::int64_t>;
  const auto size_of = [](const Body& body, const Sizes& sizes) {
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    std::int64_t size = body.operators;
    for (const auto* function : body.calls) size = std::min(kMost, size + sizes.at(function));
    return size;
  };
  std::unordered_map<const proto::FunctionProto*, Body> bodies;
  Sizes sizes;
  for (const auto& [key, function] : by_name_) {
    bodies.emplace(function, read(function->node()));
    sizes[function] = 1;
  }
  // Each round follows calls one deeper.
  for (std::int64_t round = 0; round < depth; ++round) {
    Sizes next;
    for (const auto& [function, body] : bodies) next[function] = size_of(body, sizes);
    if (next == sizes) break;
    sizes = std::move(next);
  }
  return size_of(read(nodes), sizes);
}

std::shared_ptr<const Opsets> Functions::opsets(const proto::FunctionProto& function) {
  auto& opsets = opsets_[&function];
  if (opsets) return opsets;
  const auto stated = std::make_shared<Opsets>(function.opset_import());
  stated->check_standard();
  return opsets = stated;
}

std::shared_ptr<const AttributeBindings> Functions::bind(const proto::FunctionProto& function,
                                                         const proto::NodeProto& call,
                                                         const AttributeBindings* around) const {
  auto bindings = std::make_shared<AttributeBindings>();
  for (const auto& attribute : call.attribute()) {
    const proto::AttributeProto* resolved = resolve(attribute, around);
    if (resolved == nullptr) continue;
    if (resolved->has_g() || resolved->graphs_size() > 0)
      raise(ErrorKind::Unsupported, fmt::format("function {} is given a graph as its attribute {}",
                                                quote(function.name()), quote(attribute.name())));
    if (!bindings->emplace(attribute.name(), resolved).second)
      raise(ErrorKind::Model, fmt::format("attribute {} is given twice", quote(attribute.name())));
  }
  for (const auto& attribute : function.attribute_proto())
    bindings->try_emplace(attribute.name(), &attribute);
  return bindings;
}

}  // namespace braid::onnx
