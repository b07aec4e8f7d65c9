#include "sim/plan_launches.h"

#include <algorithm>

#include "base/error.h"
#include "plan/launch_order.h"

namespace braid::sim {
namespace {

using Launches = std::vector<std::int32_t>;

class Builder {
 public:
  Builder(const NodeKernels& kernels, const Plan& plan)
      : kernels_(kernels),
        plan_(plan),
        last_(plan.streams.size(), -1),
        pending_(plan.streams.size()) {
    first_.push_back(0);
    for (const auto& stream : plan.streams) first_.push_back(first_.back() + stream.size());
    ends_.resize(first_.back());
  }

  PlanSlots build() {
    for (StepRef ref : launch_order(plan_)) add(ref);
    return std::move(result_);
  }

 private:
  /// Launches after which a step is done: one of its own, or several if it has none.
  struct End {
    std::int32_t own = -1;
    Launches others = {};
  };

  End& end(StepRef ref) {
    return ends_[first_[ref.stream.at()] + static_cast<std::size_t>(ref.index)];
  }

  void add(StepRef ref) {
    const Step& step = step_at(plan_, ref);
    require(step.parts == 1, "a GPU runs nodes uncut");
    const std::size_t stream = ref.stream.at();
    for (StepRef wait : step.waits) {
      const End& awaited = end(wait);
      if (awaited.own >= 0)
        insert(pending_[stream], awaited.own);
      else
        for (std::int32_t launch : awaited.others) insert(pending_[stream], launch);
    }
    const std::int32_t way = kernels_.ways[step.node.at()] + step.way;
    require(step.way >= 0 && way < kernels_.ways[step.node.at() + 1],
            "a step runs its node in one of its ways");
    const std::int32_t first = kernels_.first[static_cast<std::size_t>(way)];
    const std::int32_t behind = kernels_.first[static_cast<std::size_t>(way) + 1];
    for (std::int32_t kernel = first; kernel < behind; ++kernel) launch(ref, kernel, step.priority);
    if (first < behind) {
      end(ref).own = last_[stream];
      return;
    }
    end(ref).others = pending_[stream];
    if (last_[stream] >= 0) insert(end(ref).others, last_[stream]);
  }

  static void insert(Launches& launches, std::int32_t launch) {
    const auto at = std::lower_bound(launches.begin(), launches.end(), launch);
    if (at == launches.end() || *at != launch) launches.insert(at, launch);
  }

  void launch(StepRef ref, std::int32_t kernel, std::int32_t priority) {
    const std::size_t stream = ref.stream.at();
    Slots& all = result_.slots;
    Slot slot{.kernel = kernel,
              .stream = ref.stream.index,
              .priority = priority,
              .first_wait = static_cast<std::int32_t>(all.waits.size())};
    for (std::int32_t before : pending_[stream]) {
      if (all.slots[static_cast<std::size_t>(before)].stream == slot.stream) continue;
      all.waits.push_back(before);
      slot.events += 2;  // a record and a wait
    }
    pending_[stream].clear();
    last_[stream] = static_cast<std::int32_t>(all.slots.size());
    all.slots.push_back(slot);
    result_.steps.push_back(ref);
  }

  const NodeKernels& kernels_;
  const Plan& plan_;
  PlanSlots result_;
  std::vector<std::int32_t> last_;  // launch of each stream
  std::vector<Launches> pending_;   // that the stream's next launch waits for
  std::vector<std::size_t> first_;  // of the steps of each stream
  std::vector<End> ends_;
};

}  // namespace

bool weights_fit(const GpuSpec& gpu, const Graph& graph) {
  std::int64_t bytes = 0;
  for (ValueId id : graph.value_ids())
    if (graph.is_constant(id)) bytes += byte_size(graph.value(id).type);
  return bytes <= gpu.l2_bytes / 2;
}

KernelOptions options_for(const GpuSpec& gpu, const Graph& graph, KernelOptions options) {
  options.warm_weights = weights_fit(gpu, graph);
  return options;
}

NodeKernels node_kernels(KnownWays& known, const Graph& lowered, int draw) {
  const bool warm_weights = weights_fit(known.gpu(), lowered);
  NodeKernels all;
  const auto begin_way = [&] {
    all.first.push_back(static_cast<std::int32_t>(all.kernels.size()));
  };
  for (std::size_t i = 0; i < lowered.node_limit(); ++i) {
    all.ways.push_back(static_cast<std::int32_t>(all.first.size()));
    const NodeId node(static_cast<std::int64_t>(i));
    if (!lowered.alive(node)) continue;
    const auto nominal = known.of(lowered, node, warm_weights);
    const bool is_drawn = draw != 0 && is_chosen(lowered.node(node));
    const auto drawn = is_drawn ? known.of(lowered, node, warm_weights, draw) : nominal;
    for (std::size_t way = 0; way < nominal->size(); ++way) {
      const std::vector<Kernel>& kernels = way == 0 ? drawn->front() : (*nominal)[way];
      begin_way();
      all.kernels.insert(all.kernels.end(), kernels.begin(), kernels.end());
    }
  }
  all.ways.push_back(static_cast<std::int32_t>(all.first.size()));
  begin_way();
  return all;
}

NodeKernels node_kernels(const GpuSpec& gpu, const Graph& lowered, const KernelOptions& options) {
  KnownWays known(gpu, options);
  return node_kernels(known, lowered);
}

PlanSlots slots_of(const NodeKernels& kernels, const Plan& plan) {
  return Builder(kernels, plan).build();
}

std::vector<Launch> launches_of(const NodeKernels& kernels, const Slots& slots) {
  std::vector<Launch> launches;
  for (std::size_t i = 0; i < slots.slots.size(); ++i) {
    const Slot& slot = slots.slots[i];
    const auto waits = slots.waits_of(i);
    launches.push_back({.kernel = kernels.kernels[static_cast<std::size_t>(slot.kernel)],
                        .stream = slot.stream,
                        .priority = slot.priority,
                        .after = {waits.begin(), waits.end()},
                        .events = slot.events,
                        .library_calls = slot.library_calls,
                        .device_sync = slot.device_sync});
  }
  return launches;
}

}  // namespace braid::sim
