#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/progress.h"
#include "cli/option_set.h"
#include "cli/tensor_files.h"
#include "graph/graph.h"
#include "graph/quotas.h"
#include "onnx/interface.h"
#include "onnx/survey.h"

namespace braid::cli {

/// The model of a command and how its open dimensions are bound.
struct ModelArgument {
  std::string model;
  std::vector<std::string> shapes;
  std::vector<std::string> dims;
  std::string external_data_root;
  std::vector<std::string> quotas;
  std::int64_t batch = 0;  ///< 0: as the model says
};

/// Adds the positional MODEL (also -m, --model, --onnx), --shapes, --dim and --external-data-root.
void add_model_argument(OptionSet& add, ModelArgument& argument);
/// Adds the options without the positional.
void add_shape_options(OptionSet& add, ModelArgument& argument);
/// Adds --quota alone, for commands that take models in another way.
void add_quota_option(OptionSet& add, std::vector<std::string>& quotas);
Quotas parse_quotas(const std::vector<std::string>& assignments);
void add_batch_option(OptionSet& add, ModelArgument& argument);

/// Whether the model is one of the zoo's, not a file.
bool is_from_zoo(const ModelArgument& argument);
Graph load_model(const ModelArgument& argument, const Progress& progress);
/// How a model of a file is loaded.
onnx::LoadOptions load_options(const ModelArgument& argument, const Progress& progress);
/// What the model of a file reads and gives; dimensions that nothing binds stay open.
onnx::Interface read_interface(const ModelArgument& argument);
/// What can be told of the model of a file also if it cannot be loaded.
onnx::Survey survey_model(const ModelArgument& argument);
Quotas quotas_of(const ModelArgument& argument);

/// A model with tensors for its inputs, in the order of the graph's inputs.
struct ModelWithInputs {
  Graph graph;
  /// Takes the memory of the random ones: call it once it is known that the model fits.
  std::function<std::vector<Tensor>()> make_inputs;
  std::vector<std::string> names;   ///< of all inputs, in the order of the model
  std::vector<std::string> random;  ///< inputs that were not given
  /// Inputs that became constants since their elements decide shapes.
  std::map<std::string, Tensor> fixed;
};

/// Loads a model for the given inputs, which may bind its open dimensions; those that are not given
/// are random. Throws Usage if files give some of them and the others were not asked for by a seed.
/// With `converted`, tensors of other element types than the model's inputs are converted, and each
/// is told in a sentence; else they are errors.
ModelWithInputs load_model(const ModelArgument& argument,
                           const std::vector<std::string>& input_files, const RandomInputs& random,
                           const Progress& progress,
                           const std::function<void(const std::string&)>& converted = {});

/// All inputs of the model in its order, those that became constants included; `tensors` are what
/// make_inputs() gave.
std::vector<NamedTensor> all_inputs(const ModelWithInputs& model,
                                    const std::vector<Tensor>& tensors);

/// "x:1x3x224x224,y:[1,2] z[3]" in trtexec's, polygraphy's and benchmark_app's spelling.
std::map<std::string, Dims> parse_shapes(const std::vector<std::string>& texts);
/// "batch=1" or "batch:1", several separated by commas.
std::map<std::string, std::int64_t> parse_dims(const std::vector<std::string>& texts);

}  // namespace braid::cli
