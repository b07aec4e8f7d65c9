#include "onnx/interface.h"

#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "onnx/element_types.h"
#include "onnx/inputs.h"
#include "onnx/metadata.h"
#include "onnx/opsets.h"
#include "onnx/proto.h"

namespace braid::onnx {
namespace {

ValueInfo describe_input(const proto::ValueInfoProto& input, const LoadOptions& options) {
  ValueInfo info;
  info.name = input.name();
  if (input.type().value_case() != proto::TypeProto::VALUE_NOT_SET &&
      !input.type().has_tensor_type())
    raise(ErrorKind::Unsupported,
          fmt::format("input {} is not a tensor; sequences, maps and optionals are not supported",
                      quote(info.name)));
  const auto& tensor = input.type().tensor_type();
  info.element = require_element(tensor.elem_type(), "input " + quote(info.name));
  const auto given = options.shapes.find(info.name);
  const auto& dims = tensor.shape().dim();
  for (int i = 0; i < dims.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool sized = dims[i].has_dim_value() && dims[i].dim_value() >= 0;
    const std::string symbol(symbol_in(dims[i]));
    const auto bound = symbol.empty() ? options.dims.end() : options.dims.find(symbol);
    std::int64_t size = sized ? dims[i].dim_value() : -1;
    if (size < 0 && bound != options.dims.end()) size = bound->second;
    if (size < 0 && i == 0 && options.batch > 0) size = options.batch;
    if (size < 0 && given != options.shapes.end() && at < given->second.size())
      size = given->second[at];
    info.dims.push_back(size);
    info.symbols.push_back(size < 0 ? symbol : std::string());
  }
  info.shaped = tensor.has_shape() || given != options.shapes.end();
  if (!tensor.has_shape() && info.shaped) {
    info.dims = given->second;
    info.symbols.resize(info.dims.size());
  }
  return info;
}

void count(const proto::ModelProto& model, Interface& result) {
  result.name = model.graph().name();
  for (const auto& opset : model.opset_import())
    if (plain_domain(opset.domain()).empty()) result.opset = static_cast<int>(opset.version());
  for (const auto& node : model.graph().node()) ++result.operator_counts[node.op_type()];
  for (const auto& tensor : model.graph().initializer()) {
    std::int64_t elements = 1;
    for (const std::int64_t d : tensor.dims())
      if (d < 0 || __builtin_mul_overflow(elements, d, &elements)) return;
    if (__builtin_add_overflow(result.parameters, elements, &result.parameters)) return;
  }
}

}  // namespace

Interface read_interface(const std::filesystem::path& path, const LoadOptions& options) {
  const auto where = [&] { return fmt::format("while loading {}", quote(path.string())); };
  return with_note(where, [&] {
    const auto file = MappedFile::open(path);
    proto::ModelProto model;
    parse(split(file->bytes(), MessageKind::Model, options.quotas), options.quotas, model);
    std::unordered_set<std::string_view> initialisers;
    for (const auto& tensor : model.graph().initializer()) initialisers.insert(tensor.name());
    Interface interface;
    for (const auto& input : model.graph().input())
      if (!initialisers.contains(input.name()))
        interface.inputs.push_back(describe_input(input, options));
    for (const auto& output : model.graph().output()) interface.outputs.push_back(output.name());
    count(model, interface);
    return interface;
  });
}

std::string type_text(const ValueInfo& input) {
  std::vector<std::string> dims;
  for (std::size_t i = 0; i < input.dims.size(); ++i)
    dims.push_back(input.dims[i] >= 0         ? fmt::format("{}", input.dims[i])
                   : input.symbols[i].empty() ? "?"
                                              : printable(input.symbols[i]));
  return fmt::format("{}[{}]", name(input.element), fmt::join(dims, ","));
}

}  // namespace braid::onnx
