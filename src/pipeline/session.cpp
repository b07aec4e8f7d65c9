#include <algorithm>
#include <list>
#include <mutex>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <braid/session.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/in_flight.h"
#include "base/text.h"
#include "device/device.h"
#include "devices/open.h"
#include "onnx/interface.h"
#include "ops/op.h"
#include "pipeline/bind.h"
#include "pipeline/stages.h"
#include "plan/json.h"

namespace braid {
struct Session::State {
  /// What a Plan was made for: the dimensions of the inputs, and the elements of those that decide
  /// shapes.
  struct Key {
    std::map<std::string, Dims> dims;
    std::map<std::string, Hash128> values;

    bool operator==(const Key&) const = default;
  };

  struct Entry {
    Key key;
    std::shared_ptr<const Runnable> model;
  };

  State(std::filesystem::path path, SessionOptions session_options)
      : model(std::move(path)),
        options(std::move(session_options)),
        device(open_device(options.device,
                           {.threads = options.threads, .pin = pin_named(options.pin)})),
        signature(onnx::read_interface(model, load_options())) {}

  Quotas quotas() const {
    Quotas quotas;
    for (const auto& [name, limit] : options.quotas) set_quota(quotas, name, limit);
    return quotas;
  }

  onnx::LoadOptions load_options() const {
    onnx::LoadOptions load;
    load.shapes = options.shapes;
    load.dims = options.dims;
    load.external_data_root = options.external_data_root;
    load.quotas = quotas();
    load.progress = options.progress;
    return load;
  }

  bool has_open_dimensions() const {
    return std::any_of(signature.inputs.begin(), signature.inputs.end(), is_open);
  }

  void check_names(const NamedInputs& inputs) const {
    std::set<std::string> names;
    for (const ValueInfo& info : signature.inputs) {
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

  Key key_of(const NamedInputs& inputs) const {
    Key key;
    if (has_open_dimensions())
      for (const auto& [name, tensor] : inputs) key.dims[name] = tensor.dims();
    for (const std::string& name : deciding) key.values[name] = hash_bytes(inputs.at(name).bytes());
    return key;
  }

  /// The Plan for the inputs: kept, or made now. A model without open dimensions has one Plan;
  /// inputs of other shapes are then refused by run().
  std::shared_ptr<const Runnable> runnable_for(const NamedInputs& inputs) {
    const std::lock_guard lock(mutex);
    Key key = key_of(inputs);
    for (auto at = plans.begin(); at != plans.end(); ++at)
      if (at->key == key) {
        plans.splice(plans.begin(), plans, at);
        return plans.front().model;
      }
    const NamedInputs binding = has_open_dimensions() || !deciding.empty() ? inputs : NamedInputs{};
    return keep(load_bound(model, load_options(), binding, deciding), inputs);
  }

  std::shared_ptr<const Runnable> keep(BoundModel bound, const NamedInputs& inputs) {
    PipelineOptions stages;
    stages.rewrite.canonicalise = options.canonicalise;
    stages.rewrite.disabled = options.disabled_steps;
    stages.plan.scheduler = options.scheduler;
    if (!options.edits.empty()) stages.plan.edits = options.edits;
    stages.plan.arena_budget = options.arena_budget;
    stages.costs.measure = options.measure;
    stages.contest = options.measure;
    stages.rewrite.all_values = options.all_values;
    stages.quotas = quotas();
    stages.progress = options.progress;
    auto made = std::make_shared<const Runnable>(prepare(std::move(bound.graph), *device, stages));
    deciding = std::move(bound.values);
    plans.push_front({key_of(inputs), made});
    if (plans.size() > std::max<std::size_t>(options.max_plans, 1)) plans.pop_back();
    return made;
  }

  std::filesystem::path model;
  SessionOptions options;
  std::unique_ptr<Device> device;
  onnx::Interface signature;
  std::mutex mutex;
  std::set<std::string> deciding;  ///< inputs whose elements decide shapes, as far as is known
  std::list<Entry> plans;
  InFlight in_flight;  ///< the last member: the others stay until no call is under way
};

Session::Session(const std::filesystem::path& model, SessionOptions options)
    : state_(std::make_unique<State>(model, std::move(options))) {
  // What is bound is planned at once, so that its faults show here and not at the first answer.
  if (state_->has_open_dimensions()) return;
  try {
    const auto prepared = state_->runnable_for({});
    state_->signature.outputs.clear();
    for (const GraphOutput& output : prepared->graph().outputs())
      state_->signature.outputs.push_back(output.name);
  } catch (const ValueNeeded& needed) {
    if (needed.graph_inputs().empty()) throw;
    state_->deciding = {needed.graph_inputs().begin(), needed.graph_inputs().end()};
  }
}

Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

const std::vector<ValueInfo>& Session::inputs() const { return state_->signature.inputs; }
const std::vector<std::string>& Session::outputs() const { return state_->signature.outputs; }

std::vector<std::pair<std::string, Tensor>> Session::run(const NamedInputs& inputs) {
  const InFlight::Call call(state_->in_flight);
  state_->check_names(inputs);
  const auto prepared = state_->runnable_for(inputs);
  std::vector<Tensor> ordered;
  for (ValueId id : prepared->graph().inputs())
    ordered.push_back(inputs.at(prepared->graph().value(id).name));
  const std::vector<Tensor> results = braid::run(*prepared, ordered);
  std::vector<std::pair<std::string, Tensor>> named;
  for (std::size_t i = 0; i < results.size(); ++i)
    named.emplace_back(prepared->graph().outputs()[i].name, results[i]);
  return named;
}

std::string Session::plan_json(const NamedInputs& inputs) {
  const InFlight::Call call(state_->in_flight);
  state_->check_names(inputs);
  const auto prepared = state_->runnable_for(inputs);
  return to_json(prepared->lowered(), prepared->plan);
}

std::vector<std::string> Session::inputs_that_decide_shapes() const {
  const InFlight::Call call(state_->in_flight);
  const std::lock_guard lock(state_->mutex);
  return {state_->deciding.begin(), state_->deciding.end()};
}

}  // namespace braid
