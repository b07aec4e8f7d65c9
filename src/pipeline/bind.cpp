#include "pipeline/bind.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "onnx/interface.h"
#include "ops/op.h"

namespace braid {

bool is_open(const ValueInfo& input) {
  return !input.shaped || std::find(input.dims.begin(), input.dims.end(), -1) != input.dims.end();
}

namespace {

/// Whether the tensor has the input's type as far as that is settled.
bool fits(const ValueInfo& input, const Tensor& tensor) {
  if (tensor.element() != input.element) return false;
  if (!input.shaped) return true;
  if (tensor.dims().size() != input.dims.size()) return false;
  for (std::size_t i = 0; i < input.dims.size(); ++i)
    if (input.dims[i] >= 0 && input.dims[i] != tensor.dims()[i]) return false;
  return true;
}

void check_tensors(const std::vector<ValueInfo>& infos, const NamedInputs& inputs) {
  struct Seen {
    std::int64_t size;
    std::string input;
  };
  std::map<std::string, Seen> symbols;
  for (const ValueInfo& info : infos) {
    const auto given = inputs.find(info.name);
    if (given == inputs.end()) continue;
    const Tensor& tensor = given->second;
    if (!tensor.defined())
      raise(ErrorKind::Model,
            fmt::format("input {} ({}) was not given", quote(info.name), onnx::type_text(info)));
    if (!fits(info, tensor))
      raise(ErrorKind::Model, fmt::format("input {} has type {}, expected {}", quote(info.name),
                                          to_string(tensor.type()), onnx::type_text(info)));
    for (std::size_t i = 0; i < info.symbols.size(); ++i) {
      if (info.symbols[i].empty()) continue;
      const auto [seen, fresh] =
          symbols.try_emplace(info.symbols[i], Seen{tensor.dims()[i], info.name});
      if (!fresh && seen->second.size != tensor.dims()[i])
        raise(ErrorKind::Model,
              fmt::format("dimension {} is {} in the input {} and {} in the input {}; it has one "
                          "size in the model",
                          quote(info.symbols[i]), seen->second.size, quote(seen->second.input),
                          tensor.dims()[i], quote(info.name)));
    }
  }
}

}  // namespace

BoundModel load_bound(const std::filesystem::path& model, onnx::LoadOptions options,
                      const NamedInputs& inputs, std::set<std::string> values) {
  const std::vector<ValueInfo> infos = onnx::read_interface(model, options).inputs;
  check_tensors(infos, inputs);
  for (const ValueInfo& info : infos)
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
