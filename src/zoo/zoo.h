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
  std::uint64_t seed = 0;       ///< of the weights
  std::int64_t image_size = 0;  ///< height and width; 0: the model's own
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

/// The model's inputs for a batch and an image size. Throws Usage if the batch is not positive, or
/// if a size is given to a model that reads no image.
std::vector<ZooInput> inputs_of(const ZooModel& model, const ZooOptions& options);

/// Builds a model in opset 17 with seeded weights: same options, same bytes. Convolution,
/// normalisation and activation are separate nodes. The weights are scaled so that every value
/// stays in range and the outputs depend on the inputs (layers.h says how). `name` may be written
/// "squeezenet1_1" or "SqueezeNet" for "squeezenet-1.1": only letters and digits count, and a
/// beginning that fits one model alone is enough; "inception-v3@224" gives the image size with the
/// name. Throws Usage, listing the names, if there is no such model, and with the smallest size
/// that the network can take, if the image is smaller.
Graph build(std::string_view name, const ZooOptions& options = {});

}  // namespace braid::zoo
