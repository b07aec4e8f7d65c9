#include "pipeline/bind.h"

#include <algorithm>

#include "onnx/interface.h"
#include "ops/op.h"

namespace braid {

bool is_open(const ValueInfo& input) {
  return !input.shaped || std::find(input.dims.begin(), input.dims.end(), -1) != input.dims.end();
}

BoundModel load_bound(const std::filesystem::path& model, onnx::LoadOptions options,
                      const NamedInputs& inputs, std::set<std::string> values) {
  for (const ValueInfo& info : onnx::read_interface(model, options).inputs)
    if (const auto given = inputs.find(info.name); given != inputs.end() && is_open(info))
      options.shapes.try_emplace(info.name, given->second.dims());
  while (true) {
    for (const std::string& name : values) options.fixed_inputs.try_emplace(name, inputs.at(name));
    try {
      return {onnx::load(model, options), std::move(values)};
    } catch (const ValueNeeded& needed) {
      const std::size_t before = values.size();
      for (const std::string& name : needed.graph_inputs())
        if (inputs.contains(name)) values.insert(name);
      if (values.size() == before) throw;
    }
  }
}

}  // namespace braid
