#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "device/device.h"
#include "graph/quotas.h"
#include "pipeline/profile.h"
#include "plan/constraints.h"
#include "rewrite/canonicalise.h"

namespace braid {

struct PrepareOptions {
  bool canonicalise = true;
  std::vector<std::string> disabled_steps;  ///< of canonicalisation
  std::string scheduler = "sequential";
  /// A Plan in its JSON form (plan/json.h), to follow instead of asking the scheduler.
  std::optional<std::string> plan = {};
  /// The text of an edits file (plan/edits.h) that the Plan must obey, whoever made it.
  std::optional<std::string> edits = {};
  /// The arena has at most so many bytes: the fastest Plan found that fits (schedule/
  /// memory_budget.h). 0: as large as the scheduler makes it.
  std::int64_t arena_budget = 0;
  bool keep_names = false;  ///< keep the names of the model's own nodes, in `Prepared::original`
  bool all_values = false;  ///< make every value an output
  bool compile = true;      ///< else there is no Program
  /// Where the costs come from by which the Plan is made: the profile cache as far as it goes;
  /// nothing is measured unless asked for.
  ProfileOptions profile = {};
  /// Run the Plan beside `sequential`'s on the device and keep the faster. Not on a simulated one.
  bool check_on_device = false;
  /// Debug: shuffle the Plan (plan/shuffle.h).
  std::optional<std::uint64_t> shuffle_seed = {};
  /// What an earlier `prepare` of the same graph on the same device found out, instead.
  std::shared_ptr<const Profile> profiled = {};
  Quotas quotas = {};
  /// Searching schedulers go on for so long, and until they have tried so many changes: whichever
  /// is given, and if both are, whichever comes first. With steps alone no clock is read, so that
  /// the same Plan comes out every time. Both 0: steps by the size of the graph, ten seconds at
  /// most.
  double search_seconds = 0;
  int search_steps = 0;
  Progress progress = {};
};

/// A graph on its way to a device, with what each stage made of it.
struct Prepared {
  Graph graph;  ///< as the model says, canonicalised unless switched off; its inputs and outputs
                ///< are the caller's
  std::vector<StepReport> canonicalised;
  Graph lowered;
  std::vector<OriginalNode> original;      ///< if there are edits or it was asked for
  std::vector<Constraint> constraints;     ///< that the edits became
  std::shared_ptr<const Profile> profile;  ///< by which the Plan was made
  Plan plan;
  std::string reason;  ///< why this Plan was kept, if others were tried as well
  std::unique_ptr<Program> program;
};

/// Makes every value of the graph an output, under its own name, after those it has.
void mark_all_values(Graph& graph);

/// The way of a model: canonicalise, lower, look up costs, schedule, verify, compile. Throws Quota,
/// before the memory is taken, if the Plan needs more than the quotas allow, or if it takes too
/// long; and Model if a given Plan is malformed, made for another graph or device, or may go wrong.
/// The device outlives what is prepared for it.
Prepared prepare(Graph graph, const Device& device, const PrepareOptions& options);

/// Checks the inputs against the graph (types and names are in the errors) and runs.
std::vector<Tensor> run(const Prepared& prepared, std::span<const Tensor> inputs,
                        const RunOptions& options = {});

}  // namespace braid
