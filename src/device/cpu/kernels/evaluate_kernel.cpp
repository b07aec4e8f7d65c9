#include "device/cpu/kernels/evaluate_kernel.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/call.h"
#include "plan/reference.h"

namespace braid::cpu {
namespace {

/// A call without the pointers into the graph.
struct OwnedCall {
  std::string op;
  Attributes attributes;
  std::vector<std::optional<TensorType>> inputs;
  std::vector<TensorType> outputs;

  explicit OwnedCall(const OpCall& call)
      : op(call.op), attributes(*call.attributes), outputs(call.outputs) {
    for (const TensorType* type : call.inputs)
      inputs.push_back(type != nullptr ? std::optional(*type) : std::nullopt);
  }
};

void run(const OwnedCall& call, const KernelArgs& args) {
  std::vector<Tensor> inputs(call.inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (call.inputs[i]) inputs[i] = Tensor::borrow(*call.inputs[i], args.inputs[i], nullptr);
  const std::vector<Tensor> results =
      evaluate(call.op, call.attributes, inputs, std::max<std::size_t>(call.outputs.size(), 1));
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    if (args.outputs[i] == nullptr) continue;
    if (results.at(i).type() != call.outputs[i])
      raise(ErrorKind::Model,
            fmt::format("output {} of {} became {} with these inputs, but the model was planned "
                        "for {}",
                        i, call.op, to_string(results[i].type()), to_string(call.outputs[i])));
    const auto bytes = results[i].bytes();
    if (!bytes.empty()) std::memcpy(args.outputs[i], bytes.data(), bytes.size());
  }
}

}  // namespace

std::optional<Way> prepare_evaluate(const OpCall& call) {
  Way way;
  way.implementation = kReferenceImplementation;
  way.make = [owned = OwnedCall(call)](const Part&) -> Kernel {
    return [owned](const KernelArgs& args) { run(owned, args); };
  };
  return way;
}

Way prepare_nothing() {
  Way way;
  way.implementation = "nothing";
  way.make = [](const Part&) -> Kernel { return [](const KernelArgs&) {}; };
  return way;
}

}  // namespace braid::cpu
