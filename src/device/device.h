#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <braid/tensor.h>

#include "base/function_ref.h"
#include "cost/cost_model.h"
#include "cost/simulated_time.h"
#include "device/meter.h"
#include "plan/plan.h"
#include "rewrite/steps.h"
#include "schedule/judge.h"
#include "trace/trace.h"

namespace braid {

struct RunOptions {
  Trace* trace = nullptr;  ///< filled with what happened, if given
  /// Debug: bytes that nothing may read are overwritten, and steps delayed, as the seed decides.
  /// The outputs have the same bits.
  std::optional<std::uint64_t> poison_seed = {};
  /// For measuring a part of a network: the arena is read before anything runs. In the whole
  /// network other values have just been there, and its bytes are in the caches.
  bool touch_arena = false;
};

/// A Plan made runnable on a device. May outlive the Device. Its destructor waits for the runs that
/// are under way; none may begin any more.
class Program {
 public:
  virtual ~Program() = default;
  /// Takes inputs in the order of the graph's inputs and gives outputs in the order of its outputs.
  /// The inputs have the graph's types (the caller checks). May be called from several threads at
  /// once.
  virtual std::vector<Tensor> run(std::span<const Tensor> inputs,
                                  const RunOptions& options = {}) = 0;
  /// On a simulated device, where run() throws Unsupported because there are no numbers: how long a
  /// run is thought to take and, if `trace` is given, what happens when. Nothing elsewhere.
  virtual std::optional<SimulatedTime> simulate(Trace* /*trace*/ = nullptr) const {
    return std::nullopt;
  }
};

/// A node that a device can run in several ways, which give other bits.
struct WayQuestion {
  std::string_view name;  ///< of the node's first output in the lowered graph
  const Graph& first;     ///< the node alone, lowered as it is unless another way is chosen
  /// The node in every way, the first one first, in one lowered graph. Takes much longer to make.
  FunctionRef<Graph()> all;
};
/// Answers with implementations of nodes of `all`, the best first: that one is taken, or the next
/// if it needs too much memory. Without any, or if none is left, the first way is.
using ChooseWay = std::function<std::vector<std::string>(const WayQuestion&)>;

struct LowerOptions {
  const CostModel& costs;  ///< as far as they are known
  std::vector<std::string> disabled = {};
  /// No way that saves operations at the price of digits (Device::is_exact()).
  bool exact = false;
  ChooseWay choose = {};  ///< empty: the device takes its first way everywhere
};

/// A graph for a device, and what its steps did.
struct Lowered {
  Graph graph;
  std::vector<StepReport> steps = {};
};

/// A step of canonicalisation that a device does without, and why.
struct OmittedStep {
  std::string_view name;
  std::string_view reason;
};

/// Something that runs Plans. Immutable once made; safe to use from several threads.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceSpec& spec() const = 0;
  /// Whether its Programs tell times (Program::simulate()) instead of running.
  virtual bool is_simulated() const { return false; }
  /// What decides how long any node takes here, in words: the hardware, libraries and settings.
  /// What was measured under one fingerprint holds under no other.
  virtual std::string fingerprint() const { return spec().name; }
  /// Tells the kernels of an implementation (Lowering::implementation) from earlier and later ones
  /// of that name: what was measured with one holds for no other. An implementation that the device
  /// does not know, as the empty one, stands for all of its kernels. Empty: they have no versions.
  virtual std::string kernel_identity(std::string_view /*implementation*/) const { return {}; }
  /// What someone who uses the device should know about it, a sentence or more each.
  virtual std::vector<std::string> notes() const { return {}; }
  /// Null if nothing can be measured: modelled_costs() is all there is to know.
  virtual const Meter* meter() const { return nullptr; }
  /// What nodes are thought to cost here before anything was measured.
  virtual const CostModel& modelled_costs() const = 0;
  /// Why the device cannot run a node; nothing if it can.
  virtual std::optional<std::string> rejects(const Graph& graph, NodeId node) const = 0;
  /// The steps of canonicalisation (rewrite/canonicalise.h) that do not run for this device: what
  /// they leave would not be what it runs.
  virtual std::vector<OmittedStep> omitted_steps() const { return {}; }
  /// The rules by which the device rewrites a graph before it chooses implementations, in the order
  /// in which they run.
  virtual std::vector<RewriteStep> lowering_steps() const { return {}; }
  /// Runs the lowering steps but for those that are disabled, then chooses implementation, layout,
  /// scratch and cuts of every node. Throws Unsupported, naming the node and the reason, if it
  /// rejects one, and Usage if a disabled step is none of its own.
  Lowered lower(const Graph& graph, const LowerOptions& options) const;
  Graph lower(const Graph& graph, const CostModel& costs) const;
  /// The graph is one that `lower` gave and the Plans are some that pass `verify` for it. The
  /// Programs keep what they need of both; what several need, such as packed weights, is there
  /// once.
  virtual std::vector<std::unique_ptr<Program>> compile(const Graph& lowered,
                                                        std::span<const Plan> plans) const = 0;
  /// Bytes of constants that compile() makes ready, beside those of the graph.
  virtual std::int64_t packed_bytes(const Graph& /*lowered*/) const { return 0; }
  /// Bytes of the arenas that a Program of the Plan keeps once it has been run so many times at
  /// once.
  virtual std::int64_t arena_bytes(const Graph& /*lowered*/, const Plan& plan, int calls) const {
    return plan.arena_bytes * calls;
  }
  /// The number of ways in which the device can run each node of a graph that it lowered, by the
  /// node's id; empty: one. All give the same numbers; the first is what it would take for a node
  /// alone, others may be better beside other work.
  virtual std::vector<int> ways(const Graph& /*lowered*/) const { return {}; }
  /// The element types of an operator's typed input (OpDef) for which it has an implementation here
  /// beside the reference, at least for some uses.
  virtual ElementSet kernel_types(std::string_view /*op*/) const { return kAnyElement; }
  /// Whether an implementation adds up the products that the operator's definition names, in some
  /// order; else it saves operations, and its results have fewer right digits.
  virtual bool is_exact(std::string_view /*implementation*/) const { return true; }
  /// Tells how long Plans of a graph that the device lowered take, by these costs and facts of the
  /// device as far as it has no better model of itself. What is given must outlive it.
  virtual std::unique_ptr<Judge> judge(const Graph& lowered, const CostModel& costs,
                                       const DeviceSpec& spec) const;
  std::unique_ptr<Program> compile(const Graph& lowered, const Plan& plan) const {
    return std::move(compile(lowered, std::span(&plan, 1)).front());
  }

 private:
  /// What lower() does once its steps have run.
  virtual Graph lower_nodes(const Graph& graph, const LowerOptions& options) const = 0;
};

}  // namespace braid
