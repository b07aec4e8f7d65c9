#include "pipeline/served_model.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"
#include "ops/op.h"
#include "plan/json.h"

namespace braid {
namespace {

void to_standard_error(const std::string& warning) {
  fmt::print(stderr, "braid: warning: {}\n", warning);
}

void check_optimising(const SessionOptions& options) {
  if (options.optimise && !(options.optimise_seconds > 0))
    raise(ErrorKind::Usage, fmt::format("optimise_seconds is {}: a search needs more than that",
                                        options.optimise_seconds));
}

}  // namespace

ServedModel::ServedModel(std::filesystem::path path, SessionOptions options,
                         std::unique_ptr<Device> device)
    : path_(std::move(path)),
      options_(std::move(options)),
      warn_(each_once(options_.warn ? options_.warn : to_standard_error)),
      device_(std::move(device)),
      interface_(onnx::read_interface(path_, load_options())) {
  check_optimising(options_);
  for (const std::string& note : device_->notes()) warn_(note);
  // What is bound is planned at once, so that its faults show here and not at the first answer.
  if (has_open_dimensions()) return;
  try {
    const auto model = runnable_for({});
    interface_.outputs.clear();
    for (const GraphOutput& output : model->graph().outputs())
      interface_.outputs.push_back(output.name);
  } catch (const ValueNeeded& needed) {
    if (needed.graph_inputs().empty()) throw;
    deciding_ = {needed.graph_inputs().begin(), needed.graph_inputs().end()};
  }
}

Quotas ServedModel::quotas() const {
  Quotas quotas;
  for (const auto& [name, limit] : options_.quotas) set_quota(quotas, name, limit);
  return quotas;
}

onnx::LoadOptions ServedModel::load_options() const {
  onnx::LoadOptions load;
  load.shapes = options_.shapes;
  load.dims = options_.dims;
  load.external_data_root = options_.external_data_root;
  load.quotas = quotas();
  load.warn = warn_;
  load.progress = options_.progress;
  return load;
}

PipelineOptions ServedModel::pipeline_options() const {
  PipelineOptions stages;
  stages.rewrite.canonicalise = options_.canonicalise;
  stages.rewrite.disabled = options_.disabled_steps;
  stages.rewrite.all_values = options_.all_values;
  stages.costs.measure = options_.measure || options_.remeasure;
  stages.costs.remeasure = options_.remeasure;
  stages.exact = options_.exact;
  stages.costs.warn = warn_;
  stages.plan.scheduler = options_.scheduler;
  stages.plan.streams = options_.streams;
  if (!options_.edits.empty()) stages.plan.edits = options_.edits;
  stages.plan.arena_budget = options_.arena_budget;
  if (options_.optimise) stages.optimise = OptimiseOptions{.seconds = options_.optimise_seconds};
  stages.contest = stages.costs.measure;
  stages.recall = true;
  stages.quotas = quotas();
  stages.progress = options_.progress;
  return stages;
}

bool ServedModel::has_open_dimensions() const {
  return std::any_of(interface_.inputs.begin(), interface_.inputs.end(), is_open);
}

void ServedModel::check_names(const NamedInputs& inputs) const {
  std::set<std::string> names;
  for (const ValueInfo& info : interface_.inputs) {
    names.insert(info.name);
    if (!inputs.contains(info.name))
      raise(ErrorKind::Model, fmt::format("input {} was not given", quote(info.name)));
  }
  for (const auto& [name, tensor] : inputs)
    if (!names.contains(name))
      raise(ErrorKind::Model,
            fmt::format("the model has no input {}; its inputs are: {}", quote(name),
                        printable(fmt::format("{}", fmt::join(names, ", ")))));
}

ServedModel::Key ServedModel::key_of(const NamedInputs& inputs) const {
  Key key;
  if (has_open_dimensions())
    for (const auto& [name, tensor] : inputs) key.dims[name] = tensor.dims();
  for (const std::string& name : deciding_) key.values[name] = hash_bytes(inputs.at(name).bytes());
  return key;
}

/// The Plan for the inputs: kept, or made now. A model without open dimensions has one Plan;
/// inputs of other shapes are then refused by run().
std::shared_ptr<const Runnable> ServedModel::runnable_for(const NamedInputs& inputs) {
  const std::lock_guard lock(mutex_);
  const Key key = key_of(inputs);
  for (auto at = plans_.begin(); at != plans_.end(); ++at)
    if (at->key == key) {
      plans_.splice(plans_.begin(), plans_, at);
      return plans_.front().model;
    }
  const NamedInputs binding = has_open_dimensions() || !deciding_.empty() ? inputs : NamedInputs{};
  return keep(load_bound(path_, load_options(), binding, deciding_), inputs);
}

std::shared_ptr<const Runnable> ServedModel::keep(BoundModel bound, const NamedInputs& inputs) {
  auto made = std::make_shared<const Runnable>(
      prepare(std::move(bound.graph), *device_, pipeline_options()));
  if (made->settlement && made->settlement->is_of_busy_machine())
    warn_(fmt::format("the Plan of {} was {} (SessionOptions::remeasure)",
                      quote(path_.filename().string()), made->reason));
  deciding_ = std::move(bound.values);
  plans_.push_front({key_of(inputs), made});
  if (plans_.size() > std::max<std::size_t>(options_.max_plans, 1)) drop_oldest();
  return made;
}

/// Says so once as many have been dropped as are kept: planning has become a habit.
void ServedModel::drop_oldest() {
  plans_.pop_back();
  if (++dropped_ != plans_.size()) return;
  const std::string decide =
      deciding_.empty() ? ""
                        : fmt::format(" or with other elements of {}",
                                      printable(fmt::format("{}", fmt::join(deciding_, ", "))));
  warn_(fmt::format(
      "{} was planned {} times, since its inputs come in ever other sizes{} and only {} Plans are "
      "kept; each time, planning takes longer than the answer. Pad inputs to a few sizes, or keep "
      "more Plans: SessionOptions::max_plans",
      quote(path_.filename().string()), plans_.size() + dropped_, decide, plans_.size()));
}

std::vector<std::pair<std::string, Tensor>> ServedModel::run(const NamedInputs& inputs) {
  const InFlight::Call call(in_flight_);
  check_names(inputs);
  const auto model = runnable_for(inputs);
  std::vector<Tensor> ordered;
  for (ValueId id : model->graph().inputs())
    ordered.push_back(inputs.at(model->graph().value(id).name));
  const std::vector<Tensor> results = braid::run(*model, ordered);
  std::vector<std::pair<std::string, Tensor>> named;
  for (std::size_t i = 0; i < results.size(); ++i)
    named.emplace_back(model->graph().outputs()[i].name, results[i]);
  return named;
}

std::string ServedModel::plan_json(const NamedInputs& inputs) {
  const InFlight::Call call(in_flight_);
  check_names(inputs);
  const auto model = runnable_for(inputs);
  return to_json(model->lowered(), model->plan);
}

std::vector<std::string> ServedModel::inputs_that_decide_shapes() const {
  const InFlight::Call call(in_flight_);
  const std::lock_guard lock(mutex_);
  return {deciding_.begin(), deciding_.end()};
}

}  // namespace braid
