#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "sim/choice.h"
#include "sim/traffic.h"

namespace braid::sim {
namespace {

/// A tile of the result that a block of cuBLAS's kernels makes. Libraries think in columns first,
/// so the first number of a name goes along our columns. A product runs in the families sgemm_*, a
/// batch of products in bgemm_*, which are other kernels.
struct ProductTile {
  std::string_view name;
  int columns;
  int rows;
};
constexpr std::array<ProductTile, 8> kTiles = {{{"128x128", 128, 128},
                                                {"128x64", 128, 64},
                                                {"64x64", 64, 64},
                                                {"32x128", 32, 128},
                                                {"128x32", 128, 32},
                                                {"64x32_sliced1x4", 64, 32},
                                                {"32x32_sliced1x4", 32, 32},
                                                {"128x32_sliced1x4", 128, 32}}};

/// Into how many slices cuBLAS cuts the depth of a product, and what a slice keeps at least.
constexpr auto kSlices =
    std::to_array<int>({1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 16, 20, 26, 32, 40, 52, 64});
constexpr double kLeastSlice = 128;

Kernel tiled(const GpuSpec& gpu, const KernelOptions& options, std::string_view family,
             const ProductTile& tile, const Product& product, const Traffic& traffic) {
  const double blocks = product.batch * std::ceil(product.columns / tile.columns) *
                        std::ceil(product.rows / tile.rows);
  Kernel kernel = make_kernel(gpu, family, Pipe::Fp32,
                              static_cast<std::int64_t>(std::min(blocks, 2147483647.0)));
  kernel.flops = 2.0 * tile.columns * tile.rows * product.depth;
  set_bytes(gpu, options, traffic, kernel);
  return kernel;
}

/// The slices are added up in the kernel itself.
Kernel cut(Kernel kernel, const ProductTile& tile, const Product& product, int slices) {
  kernel.blocks = std::min(kernel.blocks * slices, std::int64_t{2147483647});
  kernel.flops = 2.0 * tile.columns * tile.rows * std::ceil(product.depth / slices);
  kernel.dram_bytes /= slices;
  kernel.l2_bytes /= slices;
  return kernel;
}

/// The kernel whole, or cut if the library would think that better.
Candidate best_cut(const GpuSpec& gpu, const ProductTile& tile, const Product& product,
                   Candidate whole, std::optional<double> weight_of_cut) {
  if (!weight_of_cut) return whole;
  const Kernel uncut = whole.kernels.front();
  double least_us = whole.weight * solo_us(gpu, uncut);
  const double weight = whole.weight * *weight_of_cut;
  for (const int slices : kSlices) {
    if (slices == 1) continue;
    if (product.depth < kLeastSlice * slices) break;
    Kernel kernel = cut(uncut, tile, product, slices);
    const double thought_us = weight * solo_us(gpu, kernel);
    if (thought_us >= least_us) continue;
    least_us = thought_us;
    whole = {{std::move(kernel)}, weight};
  }
  return whole;
}

/// A matrix times a vector reads the matrix once: a warp makes an output.
Ways matrix_vector(const GpuSpec& gpu, const KernelOptions& options, const Product& product,
                   const Traffic& traffic) {
  const double outputs = product.batch * product.rows * product.columns;
  return {{memory_kernel(gpu, options, "gemv", outputs * 32, 1, traffic)}};
}

std::string_view kind_of(const Product& product) {
  return product.batch > 1 ? "batched_product" : "product";
}

}  // namespace

Ways product_ways(const GpuSpec& gpu, const KernelOptions& options, const Product& product,
                  const Traffic& traffic) {
  if (product.rows == 1 || product.columns == 1)
    return matrix_vector(gpu, options, product, traffic);
  return with_regret(gpu, options, kind_of(product),
                     step_product_ways(gpu, options, product, traffic));
}

Ways step_product_ways(const GpuSpec& gpu, const KernelOptions& options, const Product& product,
                       const Traffic& traffic) {
  const bool batched = product.batch > 1;
  const std::string_view kind = kind_of(product);
  const std::uint64_t shape = shape_number(
      fmt::format("{}x{}x{}x{}", product.batch, product.rows, product.columns, product.depth));
  std::vector<Candidate> candidates;
  for (const ProductTile& tile : kTiles) {
    const std::string family = fmt::format("{}{}", batched ? "bgemm_" : "sgemm_", tile.name);
    const auto weight = weight_of(gpu, options, kind, family, shape);
    if (!weight) continue;
    candidates.push_back(best_cut(
        gpu, tile, product, {{tiled(gpu, options, family, tile, product, traffic)}, *weight},
        batched ? std::nullopt : weight_of(gpu, options, kind, "cut", shape)));
  }
  return chosen_first(gpu, std::move(candidates));
}

}  // namespace braid::sim
