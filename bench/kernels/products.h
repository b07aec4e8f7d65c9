#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/one_node.h"

namespace braid::kernels_bench {

/// A convolution or a product with a constant matrix, as often as models have it.
struct Product {
  std::string text;                    ///< "Conv 1x64x56x56 64x64x3x3 pads=[1,1,1,1]"
  std::shared_ptr<const OneNode> one;  ///< as the first model that has it is lowered
  double flops = 0;
  std::map<std::string, int> uses;  ///< by model
  std::set<std::string> taken;      ///< the implementations that lowering takes for it
};

struct Products {
  std::vector<Product> all;        ///< in the order in which models have them
  std::int64_t between_bytes = 0;  ///< what the largest model touches between two uses of a weight
};

/// Which models, each the name of one of the zoo or an ONNX file, and what of them.
struct Choice {
  std::vector<std::string> models;
  std::int64_t batch = 0;  ///< of the zoo, and of files that leave it open; 0: not said
  std::map<std::string, std::int64_t> dims = {};  ///< that files leave open, by name
  std::string only = {};                          ///< a regular expression that texts must hold
};

/// The distinct convolutions and products of the models. Throws Usage if there are none.
Products products_of(const Choice& choice, const Device& cpu);

}  // namespace braid::kernels_bench
