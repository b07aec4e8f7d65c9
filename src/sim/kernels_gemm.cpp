#include <algorithm>
#include <array>
#include <cmath>

#include "sim/traffic.h"

namespace braid::sim {
namespace {

/// A library's matrix product: the family's blocks each make a tile of the result.
struct ProductTile {
  std::string_view family;
  int columns;
  int rows;
  Pipe pipe = Pipe::Fp32;
};

// Libraries think in columns first, so the first number of a name goes along our columns.
constexpr std::array<ProductTile, 8> kProductTiles = {{{"sgemm_128x128", 128, 128},
                                                       {"sgemm_128x64", 128, 64},
                                                       {"sgemm_64x64", 64, 64},
                                                       {"sgemm_32x128", 32, 128},
                                                       {"sgemm_128x32", 128, 32},
                                                       {"sgemm_64x32_sliced1x4", 64, 32},
                                                       {"sgemm_32x32_sliced1x4", 32, 32},
                                                       {"sgemm_128x32_sliced1x4", 128, 32}}};

/// The depth below which cutting it further does not pay.
constexpr double kLeastProductSlice = 128;

struct Product {
  double batch;
  double rows;
  double columns;
  double depth;
};

std::vector<Kernel> tiled(const GpuSpec& gpu, const KernelOptions& options, const ProductTile& tile,
                          const Product& product, double slices, const Traffic& traffic) {
  const double blocks = product.batch * std::ceil(product.columns / tile.columns) *
                        std::ceil(product.rows / tile.rows) * slices;
  Kernel kernel = make_kernel(gpu, tile.family, tile.pipe,
                              static_cast<std::int64_t>(std::min(blocks, 2147483647.0)));
  kernel.flops = 2.0 * tile.columns * tile.rows * std::ceil(product.depth / slices);
  set_bytes(gpu, options, traffic, kernel);
  if (slices <= 1) return {kernel};
  const double results = product.batch * product.rows * product.columns;
  kernel.scratch_bytes = static_cast<std::int64_t>(4 * results * slices);
  return {kernel, memory_kernel(gpu, options, "split_k_reduce", results, 1,
                                {4 * results * (slices + 1), 0})};
}

/// Slices of the depth that give every SM as many blocks as it holds.
double useful_slices(const GpuSpec& gpu, const Kernel& kernel, const Product& product) {
  const double wanted =
      std::floor(static_cast<double>(gpu.sms) / static_cast<double>(kernel.blocks));
  return std::clamp(wanted, 1.0, std::max(1.0, std::floor(product.depth / kLeastProductSlice)));
}

}  // namespace

Ways gemm_ways(const GpuSpec& gpu, const KernelOptions& options, double batch, double rows,
               double columns, double depth, const Traffic& traffic) {
  const Product product{batch, rows, columns, depth};
  Ways candidates;
  for (const ProductTile& tile : kProductTiles) {
    candidates.push_back(tiled(gpu, options, tile, product, 1, traffic));
    const double slices = useful_slices(gpu, candidates.back()[0], product);
    if (slices > 1) candidates.push_back(tiled(gpu, options, tile, product, slices, traffic));
  }
  return cheapest_first(gpu, std::move(candidates));
}

}  // namespace braid::sim
