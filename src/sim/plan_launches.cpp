#include "sim/plan_launches.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "plan/launch_order.h"

namespace braid::sim {
namespace {

using Launches = std::vector<std::int32_t>;

bool weights_fit(const GpuSpec& gpu, const Graph& graph) {
  std::int64_t bytes = 0;
  for (ValueId id : graph.value_ids())
    if (graph.is_constant(id)) bytes += byte_size(graph.value(id).type);
  return bytes <= gpu.l2_bytes / 2;
}

void join(Launches& all, const Launches& more) {
  Launches both;
  std::set_union(all.begin(), all.end(), more.begin(), more.end(), std::back_inserter(both));
  all = std::move(both);
}

class Builder {
 public:
  Builder(const NodeKernels& kernels, const Plan& plan)
      : kernels_(kernels), plan_(plan), pending_(plan.streams.size()) {
    for (const auto& stream : plan.streams) ends_.emplace_back(stream.size());
  }

  PlanLaunches build() {
    for (StepRef ref : launch_order(plan_)) add(ref);
    return std::move(result_);
  }

 private:
  /// Launches of other streams after which the step's own kernels, or its successors', may begin.
  void add(StepRef ref) {
    const Step& step = step_at(plan_, ref);
    require(step.parts == 1, "a GPU runs nodes uncut");
    const std::size_t stream = ref.stream.at();
    for (StepRef wait : step.waits)
      join(pending_[stream], ends_[wait.stream.at()][static_cast<std::size_t>(wait.index)]);
    for (const Kernel& kernel : kernels_[step.node.at()]) launch(ref, kernel);
    Launches& end = ends_[stream][static_cast<std::size_t>(ref.index)];
    end = pending_[stream];
    if (last_on(stream) >= 0) join(end, {last_on(stream)});
  }

  void launch(StepRef ref, const Kernel& kernel) {
    const std::size_t stream = ref.stream.at();
    Launch launch;
    launch.kernel = kernel;
    launch.stream = ref.stream.index;
    for (std::int32_t before : std::exchange(pending_[stream], {}))
      if (result_.launches[static_cast<std::size_t>(before)].stream != launch.stream)
        launch.after.push_back(before);
    launch.events = static_cast<int>(2 * launch.after.size());  // a record and a wait for each
    last_.resize(plan_.streams.size(), -1);
    last_[stream] = static_cast<std::int32_t>(result_.launches.size());
    result_.launches.push_back(std::move(launch));
    result_.steps.push_back(ref);
  }

  std::int32_t last_on(std::size_t stream) const {
    return stream < last_.size() ? last_[stream] : -1;
  }

  const NodeKernels& kernels_;
  const Plan& plan_;
  PlanLaunches result_;
  std::vector<std::int32_t> last_;           // launch of each stream
  std::vector<Launches> pending_;            // that the stream's next launch waits for
  std::vector<std::vector<Launches>> ends_;  // of each step: launches after which it is done
};

}  // namespace

NodeKernels node_kernels(const GpuSpec& gpu, const Graph& lowered, KernelOptions options) {
  options.warm_weights = weights_fit(gpu, lowered);
  NodeKernels kernels;
  for (NodeId node : lowered.node_ids()) {
    if (node.at() >= kernels.size()) kernels.resize(node.at() + 1);
    kernels[node.at()] = kernels_of(gpu, lowered, node, options);
  }
  return kernels;
}

PlanLaunches launches_of(const NodeKernels& kernels, const Plan& plan) {
  return Builder(kernels, plan).build();
}

}  // namespace braid::sim
