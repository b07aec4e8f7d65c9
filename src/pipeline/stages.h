#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "choose/choose.h"
#include "device/device.h"
#include "graph/quotas.h"
#include "measure/profile.h"
#include "pipeline/optimise_options.h"

/// The way of a model, stage by stage. Each stage is a value that can be kept, printed and started
/// from; commands stop or fork where they need.
///
///     bound ─canonical─→ Canonical ─lowered─→ Lowered ─costed─→ Costed ─planned─→ Planned
///     ─runnable─→ Runnable   └──────↑
///                        (optimised)
///
/// A canonical graph may be optimised for the device, by a search that takes its time, before it is
/// lowered: pipeline/optimise.h has that stage, whose result is Canonical again.
///
/// One way leads back: what is measured in `costed` may forbid ways of running a node that
/// `lowered` left open, so the graph is lowered once more with what is known then.

namespace braid {

/// How a graph is rewritten before it is planned.
struct RewriteOptions {
  bool canonicalise = true;
  /// Steps to leave out: of canonicalisation (rewrite/canonicalise.h) or of the device's lowering.
  std::vector<std::string> disabled = {};
  bool all_values = false;  ///< make every value an output
};

struct PipelineOptions {
  RewriteOptions rewrite = {};
  /// Where costs come from: the profile cache as far as it goes; nothing is measured unless asked
  /// for.
  ProfileOptions costs = {};
  PlanOptions plan = {};
  /// Optimise the canonical graph, or make the moves again that were found before
  /// (pipeline/optimise_once.h).
  std::optional<OptimiseOptions> optimise = {};
  /// Only ways to run operators that do not save operations at the price of digits.
  bool exact = false;
  bool contest = false;  ///< run the Plan beside another and keep the faster (choose/on_device.h)
  /// Take the Plan that an earlier contest settled on, if there was one (choose/settled_plan.h).
  bool recall = false;
  Quotas quotas = {};
  Progress progress = {};
};

/// The graph as the model says, canonicalised unless that is switched off. Its inputs and outputs
/// are the caller's.
struct Canonical {
  Graph graph;
  std::vector<StepReport> steps = {};
  std::vector<OriginalNode> original = {};  ///< the model's own nodes, by their names
};

/// A lowered graph, and what its operators cost.
struct Costed {
  std::shared_ptr<const Canonical> canonical;
  Lowered lowered;
  Profile profile;
};

/// A Plan that verify() has passed, and why it was taken if others were tried.
struct Planned {
  std::shared_ptr<const Costed> costed;
  std::vector<Constraint> constraints = {};  ///< that the edits became
  Plan plan = {};
  std::string reason = {};
  std::optional<SearchReport> search = {};    ///< what the scheduler's search did, if it searches
  bool settled = false;                       ///< by an earlier contest
  std::optional<Settlement> settlement = {};  ///< by which contests; nothing if by none

  const Graph& graph() const { return costed->canonical->graph; }
  const Graph& lowered() const { return costed->lowered.graph; }
  const Profile& profile() const { return costed->profile; }
};

struct Runnable : Planned {
  std::unique_ptr<Program> program = {};
};

/// Verifies the graph and simplifies it, but for what the device does without. Throws Usage if a
/// disabled step is none that canonicalises or that the device has.
Canonical canonical(Graph bound, const Device& device, const PipelineOptions& given);

/// The names of the steps of canonicalisation that the device does without.
std::vector<std::string> steps_without(const Device& device);

/// Who chooses how operators are run: a given Plan; else what was, or is now, measured.
ChooseWay choose_way(const Graph& graph, const Device& device, const PipelineOptions& options);

/// Throws Unsupported, naming the node, if the device cannot run one.
Lowered lowered(const Canonical& model, const Device& device, const PipelineOptions& options);

/// Looks costs up, measures what is missing if that is asked for, and lowers once more if that
/// found a cut that may not be used.
std::shared_ptr<const Costed> costed(std::shared_ptr<const Canonical> model, Lowered lowered,
                                     const Device& device, const PipelineOptions& given);

/// Throws Quota, before the memory is taken, if the Plan needs more than the quotas allow, or if it
/// takes too long; and Model if a given Plan is malformed, made for another graph or device, or may
/// go wrong.
Planned planned(std::shared_ptr<const Costed> costed, const Device& device,
                const PipelineOptions& given);

/// The device outlives what is made runnable on it.
Runnable runnable(Planned planned, const Device& device, const PipelineOptions& given);

/// Runs all stages up to the named one, `optimised` among them if that is asked for.
std::shared_ptr<const Costed> to_costs(Graph bound, const Device& device,
                                       const PipelineOptions& given);
Planned to_plan(Graph bound, const Device& device, const PipelineOptions& given);
Runnable prepare(Graph bound, const Device& device, const PipelineOptions& given);

/// When the steps of the Plan are thought to run, by the device's own judge.
Prediction predict(const Planned& planned, const Device& device);
/// How a Plan is looked for: thoroughly if whoever asks has time to measure.
PlanOptions plan_options(const PipelineOptions& options);
/// What no Plan of the graph can beat.
Bounds bounds(const Planned& planned, const Device& device);

/// Checks the inputs against the graph (types and names are in the errors) and runs.
std::vector<Tensor> run(const Runnable& model, std::span<const Tensor> inputs,
                        const RunOptions& options = {});

}  // namespace braid
