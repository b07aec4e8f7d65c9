#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace braid::zoo {

class Layers;

struct ZooOptions {
  std::int64_t batch = 1;
  std::uint64_t seed = 0;  ///< of the weights
};

struct ZooInput {
  std::string name;
  TensorType type;  ///< of batch 1; the first dimension is the batch
};

/// A benchmark model: what it reads, and the function that adds its nodes and outputs.
struct ZooModel {
  std::string_view name;
  std::string_view help;  ///< one line
  std::vector<ZooInput> inputs;
  void (*network)(Layers&);
};

/// All benchmark models, in the order in which they are shown.
std::vector<ZooModel> models();

/// The model's inputs for a batch of `batch`. Throws Usage if that is not positive.
std::vector<ZooInput> inputs_of(const ZooModel& model, std::int64_t batch);

/// Builds a model in opset 17 with seeded weights: same options, same bytes. Convolution,
/// normalisation and activation are separate nodes. The weights are scaled so that every value
/// stays in range and the outputs depend on the inputs (layers.h says how). `name` may be written
/// "squeezenet1_1" or "SqueezeNet" for "squeezenet-1.1": only letters and digits count, and a
/// beginning that fits one model alone is enough. Throws Usage, listing the names, if there is no
/// such model.
Graph build(std::string_view name, const ZooOptions& options = {});

}  // namespace braid::zoo
