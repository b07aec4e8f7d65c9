#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

#include "device/cpu/kernels/recurrent_direction.h"
#include "ops/kernels_cpu.h"
#include "ops/recurrent.h"

namespace braid::cpu {
namespace {

/// Whether every direction has ONNX's default: a sigmoid for each gate, and else tanh.
bool has_default_activations(const RecurrentGeometry& net) {
  using Function = GateActivation::Function;
  const std::size_t each = net.activations.size() / static_cast<std::size_t>(net.directions);
  for (std::size_t i = 0; i < net.activations.size(); ++i) {
    const bool of_gate = net.gates > 1 && i % each == 0;
    if (net.activations[i].function != (of_gate ? Function::Sigmoid : Function::Tanh)) return false;
  }
  return true;
}

/// The directions of a network, packed when they are first asked for.
class RecurrentDirections {
 public:
  RecurrentDirections(const OpCall& call, RecurrentGeometry net)
      : net_(std::move(net)),
        weights_(*call.known[1]),
        recurrence_(*call.known[2]),
        biased_(call.has(3)) {}

  std::shared_ptr<const RecurrentDirection> at(std::int64_t direction) {
    const std::scoped_lock lock(making_);
    auto& made = made_[static_cast<std::size_t>(direction)];
    if (made == nullptr)
      made = std::make_shared<const RecurrentDirection>(net_, weights_, recurrence_, biased_,
                                                        direction);
    return made;
  }

 private:
  RecurrentGeometry net_;
  Tensor weights_;
  Tensor recurrence_;
  bool biased_;
  std::mutex making_;
  std::array<std::shared_ptr<const RecurrentDirection>, 2> made_;
};

/// Of both directions, if their states at the end are not asked for: those have another axis.
std::vector<Cut> recurrent_cuts(const OpCall& call, const RecurrentGeometry& net) {
  const auto absent = [](const TensorType& type) { return type.dims.empty(); };
  if (net.directions == 1 || absent(call.outputs[0]) ||
      !std::all_of(call.outputs.begin() + 1, call.outputs.end(), absent))
    return {};
  return {{.axis = net.batch_first ? 2 : 1}};
}

}  // namespace

std::optional<Way> prepare_recurrent(const OpCall& call) {
  if (call.input(0).element != ElementType::F32 || call.known[1] == nullptr ||
      call.known[2] == nullptr)
    return std::nullopt;
  const RecurrentGeometry net = recurrent_geometry(call);
  if (!has_default_activations(net)) return std::nullopt;
  Way way;
  way.implementation = "recurrent";
  way.scratch_bytes = recurrent_scratch_bytes(net);
  way.cuts = recurrent_cuts(call, net);
  way.packed_inputs = {1, 2};
  const auto directions = std::make_shared<RecurrentDirections>(call, net);
  way.make = [directions, output = call.outputs[0],
              all = CutRange{0, net.directions}](const Part& part) -> Kernel {
    const CutRange own = part.count > 1 ? cut_range(output, part.cut, part.index, part.count) : all;
    std::vector<std::shared_ptr<const RecurrentDirection>> used;
    for (std::int64_t d = own.begin; d < own.end; ++d) used.push_back(directions->at(d));
    return [used](const KernelArgs& args) {
      for (const auto& direction : used) direction->run(args);
    };
  };
  return way;
}

}  // namespace braid::cpu
