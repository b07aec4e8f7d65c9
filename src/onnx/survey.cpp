#include "onnx/survey.h"

#include <optional>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "onnx/importer.h"
#include "onnx/inputs.h"
#include "onnx/opsets.h"
#include "onnx/parsed_model.h"
#include "onnx/refused_nodes.h"
#include "onnx/unsupported.h"
#include "ops/shared/onnx_type.h"
#include "tensor/element.h"

namespace braid::onnx {
namespace {

DeclaredValue as_declared(const proto::ValueInfoProto& value, const LoadOptions& options) {
  DeclaredValue result;
  result.name = value.name();
  result.type = other_than_tensor(value);
  if (!result.type.empty()) return result;
  const auto& tensor = value.type().tensor_type();
  if (const auto element = element_of_onnx(tensor.elem_type())) {
    ValueInfo info = describe_input(value, options);
    return {value.name(), std::string(braid::name(*element)), info.shaped, std::move(info.dims),
            std::move(info.symbols)};
  }
  if (tensor.elem_type() != proto::TensorProto::UNDEFINED)
    result.type = type_name(tensor.elem_type());
  result.shaped = tensor.has_shape();
  for (const auto& dimension : tensor.shape().dim()) {
    const bool sized = dimension.has_dim_value() && dimension.dim_value() >= 0;
    result.dims.push_back(sized ? dimension.dim_value() : -1);
    result.symbols.emplace_back(sized ? std::string_view() : symbol_in(dimension));
  }
  return result;
}

std::int64_t parameters_of(const proto::GraphProto& graph) {
  std::int64_t sum = 0;
  for (const auto& tensor : graph.initializer()) {
    std::int64_t elements = 1;
    for (const std::int64_t d : tensor.dims())
      if (d < 0 || __builtin_mul_overflow(elements, d, &elements)) return sum;
    if (__builtin_add_overflow(sum, elements, &sum)) return sum;
  }
  return sum;
}

Survey survey_parsed(ParsedModel parsed, const LoadOptions& options) {
  Survey result;
  const auto& graph = parsed.model.graph();
  result.name = graph.name();
  result.parameters = parameters_of(graph);
  for (const auto& node : graph.node()) ++result.operator_counts[node.op_type()];
  for (const auto& opset : parsed.model.opset_import())
    if (plain_domain(opset.domain()).empty()) result.opset = static_cast<int>(opset.version());
  std::unordered_set<std::string_view> initialisers;
  for (const auto& tensor : graph.initializer()) initialisers.insert(tensor.name());
  for (const auto& input : graph.input())
    if (!initialisers.contains(input.name())) result.inputs.push_back(as_declared(input, options));
  for (const auto& output : graph.output()) result.outputs.push_back(as_declared(output, {}));
  Refusals refusals;
  result.open = find_refusals(parsed.model, parsed.tensors, options, refusals);
  result.refusals = refusals.list();
  return result;
}

}  // namespace

Survey survey(const std::filesystem::path& path, const LoadOptions& options) {
  const auto where = [&] { return fmt::format("while loading {}", quote(path.string())); };
  return with_note(where, [&] {
    const auto file = MappedFile::open(path);
    return survey_parsed(parse_model(file->bytes(), file, path.parent_path(), options), options);
  });
}

Survey survey_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                    const LoadOptions& options) {
  return survey_parsed(parse_model(bytes, std::move(owner), std::nullopt, options), options);
}

std::string type_text(const DeclaredValue& value) {
  if (!value.shaped) return value.type;
  std::vector<std::string> dims;
  for (std::size_t i = 0; i < value.dims.size(); ++i)
    dims.push_back(value.dims[i] >= 0         ? fmt::format("{}", value.dims[i])
                   : value.symbols[i].empty() ? "?"
                                              : printable(value.symbols[i]));
  return fmt::format("{}[{}]", value.type, fmt::join(dims, ","));
}

}  // namespace braid::onnx
