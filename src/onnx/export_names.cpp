#include "onnx/export_names.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid::onnx {

ExportNames::ExportNames(const Graph& graph) : names_(graph.value_limit()) {
  for (const GraphOutput& output : graph.outputs()) {
    taken_.insert(output.name);
    if (graph.value(output.value).name == output.name) names_[output.value.at()] = output.name;
  }
  for (const GraphOutput& output : graph.outputs()) {
    std::string& name = names_[output.value.at()];
    if (name == output.name) continue;
    if (name.empty() && graph.value(output.value).producer.valid())
      name = output.name;
    else
      copies_.push_back({output.value, output.name});
  }
  for (ValueId input : graph.inputs()) {
    std::string& name = names_[input.at()];
    if (!name.empty()) continue;
    name = graph.value(input).name;
    if (!taken_.insert(name).second)
      raise(ErrorKind::Unsupported,
            fmt::format("input {} and an output of another value have the same name, which ONNX "
                        "does not allow",
                        quote(name)));
  }
  for (ValueId value : graph.value_ids()) {
    if (!names_[value.at()].empty()) continue;
    names_[value.at()] = fresh(graph.value(value).name);
  }
}

std::string ExportNames::fresh(const std::string& wish) {
  std::string name = wish;
  while (!taken_.insert(name).second) name = fmt::format("{}_{}", wish, ++suffixes_[wish]);
  return name;
}

}  // namespace braid::onnx
