#include "pipeline/bind.h"

#include "ops/op.h"

namespace braid {

BoundModel load_bound(const std::filesystem::path& model, onnx::LoadOptions options,
                      const NamedInputs& inputs, std::set<std::string> values) {
  for (const auto& [name, tensor] : inputs) options.shapes.try_emplace(name, tensor.dims());
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
