#include "pipeline/any_size.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "onnx/model_header.h"
#include "pipeline/replay.h"

namespace braid {
namespace {

using onnx::ModelHeader;
using onnx::OpenDimensions;

/// Other sizes for one that is bound: odd and even ones, since windows of stride two and padding
/// tell these apart.
constexpr std::size_t kTrials = 4;
constexpr std::size_t kLeastTrials = 2;
std::int64_t other_size(std::int64_t size, std::size_t trial) {
  const std::int64_t sizes[kTrials] = {size + 1, 2 * size, 2 * size + 1, 3 * size};
  return sizes[trial % kTrials];
}

const TensorType& input_type(const Graph& graph, const std::string& name) {
  return graph.value(graph.find(name)).type;
}

/// The symbol of every dimension that is open; none for the others.
std::vector<std::optional<std::string>> symbols_of(const ValueInfo& value, std::size_t rank) {
  std::vector<std::optional<std::string>> symbols(rank);
  for (std::size_t i = 0; i < rank; ++i)
    if (!value.shaped || i >= value.dims.size())
      symbols[i] = "";
    else if (value.dims[i] < 0)
      symbols[i] = value.symbols[i];
  return symbols;
}

bool is_any_open(const std::vector<std::optional<std::string>>& symbols) {
  return std::ranges::any_of(symbols, [](const auto& symbol) { return symbol.has_value(); });
}

/// The inputs of a model whose sizes are open, and shapes to try.
class OpenInputs {
 public:
  OpenInputs(const ModelHeader& header, const Graph& bound) : bound_(bound) {
    for (const ValueInfo& input : header.inputs) {
      if (!bound.find(input.name).valid()) continue;
      auto symbols = symbols_of(input, input_type(bound, input.name).dims.size());
      if (is_any_open(symbols)) open_[input.name] = std::move(symbols);
    }
  }

  const OpenDimensions& open() const { return open_; }

  /// Dimensions of one symbol change together, others each in its own way, so that no ratio of two
  /// sizes stays what it is.
  std::map<std::string, Dims> shapes(std::size_t trial) const {
    std::map<std::string, Dims> shapes;
    std::map<std::string, std::int64_t> sizes;
    std::size_t turn = trial;
    for (const auto& [name, symbols] : open_) {
      Dims& dims = shapes[name] = input_type(bound_, name).dims;
      for (std::size_t i = 0; i < dims.size(); ++i) {
        if (!symbols[i]) continue;
        const std::string key = symbols[i]->empty() ? fmt::format("{}\n{}", name, i) : *symbols[i];
        const auto [at, fresh] = sizes.try_emplace(key, 0);
        if (fresh) at->second = other_size(dims[i], turn++);
        dims[i] = at->second;
      }
    }
    return shapes;
  }

 private:
  const Graph& bound_;
  OpenDimensions open_;
};

/// The model with other sizes; nothing if it does not accept them.
std::optional<Graph> load_with(const std::filesystem::path& model, onnx::LoadOptions options,
                               std::map<std::string, Dims> shapes) {
  options.dims.clear();
  options.batch = 0;
  for (auto& [name, dims] : shapes) options.shapes[name] = std::move(dims);
  try {
    return onnx::load(model, options);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Internal || error.kind() == ErrorKind::Cancelled) throw;
    return std::nullopt;
  }
}

/// The outputs of a graph that the model declares open, or that have another size at another trial.
void add_outputs(const ModelHeader& header, const Graph& result, const std::vector<Graph>& others,
                 OpenDimensions& open) {
  for (std::size_t i = 0; i < result.outputs().size(); ++i) {
    const GraphOutput& output = result.outputs()[i];
    const Dims& dims = result.value(output.value).type.dims;
    const auto found = std::ranges::find(header.outputs, output.name, &ValueInfo::name);
    ValueInfo declared;
    declared.shaped = false;
    if (found != header.outputs.end()) declared = *found;
    auto symbols = symbols_of(declared, dims.size());
    for (const Graph& other : others) {
      const Dims& changed = other.value(other.outputs()[i].value).type.dims;
      for (std::size_t axis = 0; axis < dims.size(); ++axis)
        if (!symbols[axis] && changed.at(axis) != dims[axis]) symbols[axis] = "";
    }
    if (is_any_open(symbols)) open[output.name] = std::move(symbols);
  }
}

std::string rule_for_one_size(const std::vector<Round>& rounds) {
  for (const Round& round : rounds)
    for (const Move& move : round)
      if (!searched_rule(move.rule).for_any_size) return move.rule;
  return "?";
}

std::string shapes_text(const std::map<std::string, Dims>& shapes) {
  std::string text;
  for (const auto& [name, dims] : shapes)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", printable(name), to_string(dims));
  return text;
}

}  // namespace

AnySize open_sizes(const std::filesystem::path& model, const onnx::LoadOptions& bound,
                   const Optimised& result, const Device& device, const PipelineOptions& options) {
  const ModelHeader header = onnx::read_header(model, bound.quotas);
  const Graph& graph = result.model->graph;
  const OpenInputs inputs(header, graph);
  if (inputs.open().empty()) return {};
  if (!result.for_any_size)
    return {.why_fixed = fmt::format("the rule {} holds for one size only",
                                     quote(rule_for_one_size(result.rounds)))};
  std::vector<Graph> others;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    report(options.progress, "trying other sizes", static_cast<std::int64_t>(trial), kTrials);
    auto shapes = inputs.shapes(trial);
    auto loaded = load_with(model, bound, shapes);
    if (!loaded) continue;
    try {
      others.push_back(
          replayed(canonical(std::move(*loaded), device, options).graph, result.rounds, device));
      if (!onnx::same_but_for_sizes(graph, others.back()))
        return {.why_fixed = fmt::format("at other sizes ({}) it would be another graph",
                                         shapes_text(shapes))};
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::Internal || error.kind() == ErrorKind::Cancelled) throw;
      return {.why_fixed = fmt::format("at other sizes ({}) it cannot be made: {}",
                                       shapes_text(shapes), error.message())};
    }
  }
  if (others.size() < kLeastTrials)
    return {.why_fixed = "the model accepts none of the other sizes that were tried"};
  AnySize any{.open = inputs.open()};
  add_outputs(header, graph, others, any.open);
  return any;
}

}  // namespace braid
