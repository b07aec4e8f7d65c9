#pragma once

#include "device/cpu/kernels/kernel.h"
#include "ops/shared/epilogue.h"

namespace braid::cpu {

/// A matrix, or a batch of them, as it lies in memory.
struct Matrix {
  Dims dims;
  Dims strides;
};

/// output = activation(a x b + bias + residual), all with the same number of axes.
struct Product {
  Matrix a;
  Matrix b;
  Dims bias;  ///< empty: none
  Matrix output;
  Epilogue epilogue;
  std::size_t residual_input = Epilogue::kResidualInput;
  bool constant_b = false;
  Tensor b_instead = {};
  Tensor bias_instead = {};
};

/// Where an axis of the node's output is in the product's, which may join several.
struct CutAxis {
  int node = 0;
  std::size_t product = 0;
};

/// A bias as large as the output is a residual if there is no other.
void settle_bias(const OpCall& call, Product& product);

/// Which kernels run a product: our panels and, where they do not suit, oneDNN's; oneDNN's alone;
/// Strassen's algorithm; or panels alone.
enum class ProductKernels { Own, Library, Strassen, Panels };

std::optional<Way> prepare_product(const OpCall& call, Product product, std::optional<CutAxis> cut,
                                   ProductKernels kernels);

}  // namespace braid::cpu
