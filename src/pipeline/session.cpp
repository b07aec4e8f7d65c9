#include <algorithm>
#include <list>
#include <mutex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <braid/session.h>

#include "base/error.h"
#include "base/text.h"
#include "device/device.h"
#include "onnx/load.h"
#include "onnx/signature.h"
#include "pipeline/prepare.h"
#include "plan/json.h"

namespace braid {
namespace {

using Inputs = std::map<std::string, Tensor>;
/// What a Plan was made for: the dimensions of every input.
using Key = std::map<std::string, Dims>;

}  // namespace

struct Session::State {
  State(std::filesystem::path path, SessionOptions session_options)
      : model(std::move(path)),
        options(std::move(session_options)),
        device(open_device(options.device, {.threads = options.threads})),
        signature(onnx::read_signature(model, load_options())) {}

  onnx::LoadOptions load_options() const {
    onnx::LoadOptions load;
    load.shapes = options.shapes;
    load.dims = options.dims;
    load.external_data_root = options.external_data_root;
    load.progress = options.progress;
    return load;
  }

  bool open() const {
    for (const ValueInfo& input : signature.inputs)
      if (std::find(input.dims.begin(), input.dims.end(), -1) != input.dims.end()) return true;
    return false;
  }

  void check_names(const Inputs& inputs) const {
    for (const auto& [name, tensor] : inputs) {
      const auto known =
          std::any_of(signature.inputs.begin(), signature.inputs.end(),
                      [&, &given = name](const ValueInfo& info) { return info.name == given; });
      if (known) continue;
      std::vector<std::string> names;
      for (const ValueInfo& info : signature.inputs) names.push_back(quote(info.name));
      raise(ErrorKind::Model, fmt::format("the model has no input {}; its inputs are {}",
                                          quote(name), fmt::join(names, ", ")));
    }
    for (const ValueInfo& info : signature.inputs)
      if (!inputs.contains(info.name))
        raise(ErrorKind::Model, fmt::format("input {} was not given", quote(info.name)));
  }

  /// The Plan for the inputs' shapes: kept, or made now. A model without open dimensions has one
  /// Plan; inputs of other shapes are then refused by run().
  std::shared_ptr<const Prepared> prepared_for(const Inputs& inputs) {
    Key key;
    if (open())
      for (const ValueInfo& info : signature.inputs) key[info.name] = inputs.at(info.name).dims();
    const std::lock_guard lock(mutex);
    for (auto at = plans.begin(); at != plans.end(); ++at)
      if (at->first == key) {
        plans.splice(plans.begin(), plans, at);
        return plans.front().second;
      }
    onnx::LoadOptions load = load_options();
    if (!key.empty()) load.shapes = key;
    PrepareOptions prepare_options;
    prepare_options.canonicalise = options.canonicalise;
    prepare_options.disabled_steps = options.disabled_steps;
    prepare_options.scheduler = options.scheduler;
    prepare_options.all_values = options.all_values;
    prepare_options.progress = options.progress;
    auto made = std::make_shared<const Prepared>(
        prepare(onnx::load(model, load), *device, prepare_options));
    plans.emplace_front(std::move(key), made);
    if (plans.size() > std::max<std::size_t>(options.max_plans, 1)) plans.pop_back();
    return made;
  }

  std::filesystem::path model;
  SessionOptions options;
  std::unique_ptr<Device> device;
  onnx::Signature signature;
  std::mutex mutex;
  std::list<std::pair<Key, std::shared_ptr<const Prepared>>> plans;
};

Session::Session(const std::filesystem::path& model, SessionOptions options)
    : state_(std::make_unique<State>(model, std::move(options))) {
  // A model that is bound is planned at once, so that its faults show here and not at the first
  // answer.
  if (!state_->open()) {
    const auto prepared = state_->prepared_for({});
    state_->signature.outputs.clear();
    for (const GraphOutput& output : prepared->graph.outputs())
      state_->signature.outputs.push_back(output.name);
  }
}

Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

const std::vector<ValueInfo>& Session::inputs() const { return state_->signature.inputs; }
const std::vector<std::string>& Session::outputs() const { return state_->signature.outputs; }

std::vector<std::pair<std::string, Tensor>> Session::run(const Inputs& inputs) {
  state_->check_names(inputs);
  const auto prepared = state_->prepared_for(inputs);
  std::vector<Tensor> ordered;
  for (ValueId id : prepared->graph.inputs())
    ordered.push_back(inputs.at(prepared->graph.value(id).name));
  const std::vector<Tensor> results = braid::run(*prepared, ordered);
  std::vector<std::pair<std::string, Tensor>> named;
  for (std::size_t i = 0; i < results.size(); ++i)
    named.emplace_back(prepared->graph.outputs()[i].name, results[i]);
  return named;
}

std::string Session::plan_json(const Inputs& inputs) {
  state_->check_names(inputs);
  const auto prepared = state_->prepared_for(inputs);
  return to_json(prepared->lowered, prepared->plan);
}

}  // namespace braid
