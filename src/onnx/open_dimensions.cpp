#include "onnx/open_dimensions.h"

#include <algorithm>

#include "onnx/exporter.h"

namespace braid::onnx {
namespace {

/// The model without any size, in bytes.
std::string without_sizes(proto::ModelProto model) {
  proto::GraphProto& graph = *model.mutable_graph();
  graph.clear_value_info();
  for (auto* values : {graph.mutable_input(), graph.mutable_output()})
    for (proto::ValueInfoProto& value : *values)
      for (auto& dimension :
           *value.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
        dimension.Clear();
  return model.SerializeAsString();
}

}  // namespace

bool same_but_for_sizes(const Graph& a, const Graph& b, int opset) {
  const ExportedModel first = export_model(a, opset);
  const ExportedModel second = export_model(b, opset);
  if (without_sizes(first.model) != without_sizes(second.model)) return false;
  return std::ranges::equal(first.initialisers, second.initialisers,
                            [](const auto& x, const auto& y) {
                              return x.first == y.first && identical(x.second, y.second);
                            });
}

}  // namespace braid::onnx
