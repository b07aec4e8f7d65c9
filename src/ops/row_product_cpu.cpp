#include <algorithm>
#include <memory>

#include "base/checked.h"
#include "device/cpu/isa.h"
#include "device/cpu/large_pages.h"
#include "device/cpu/part.h"
#include "ops/epilogue.h"
#include "ops/kernels_cpu.h"
#include "ops/matmul.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kPanel = 4 * kLanes;
using Vector [[gnu::vector_size(64)]] = float;
using UnalignedVector [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = float;

/// One row times a constant matrix: as fast as memory gives the matrix. It is packed into panels of
/// `kPanel` columns, in each of which a run walks straight through memory.
class RowProduct {
 public:
  RowProduct(std::int64_t depth, std::int64_t columns, Epilogue epilogue)
      : depth_(depth), columns_(columns), epilogue_(epilogue) {}

  /// `at(k, n)` is the matrix.
  template <class At>
  void pack(const At& at) {
    const std::int64_t floats = checked_mul(ceil_div(columns_, kPanel) * kPanel, depth_);
    panels_ = room_for_constant(checked_mul(floats, std::int64_t{sizeof(float)}));
    auto* to = reinterpret_cast<float*>(panels_.bytes);
    for (std::int64_t first = 0; first < columns_; first += kPanel)
      for (std::int64_t k = 0; k < depth_; ++k)
        for (std::int64_t n = first; n < first + kPanel; ++n) *to++ = n < columns_ ? at(k, n) : 0;
  }

  /// The columns of the range, which begins at a panel.
  void run(const KernelArgs& args, CutRange range) const {
    const float* panel =
        reinterpret_cast<const float*>(panels_.bytes) + range.begin / kPanel * (depth_ * kPanel);
    for (std::int64_t first = range.begin; first < range.end;
         first += kPanel, panel += depth_ * kPanel) {
      alignas(64) float sums[kPanel];
      on_best_isa([&]() __attribute__((always_inline)) { add_up(args.in<float>(0), panel, sums); });
      finish(args, sums, first, std::min(kPanel, range.end - first));
    }
  }

 private:
  [[gnu::always_inline]] void add_up(const float* x, const float* panel, float* sums) const {
    Vector total[4] = {};
    for (std::int64_t k = 0; k < depth_; ++k, panel += kPanel) {
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v)
        total[v] += *reinterpret_cast<const UnalignedVector*>(panel + v * kLanes) * x[k];
    }
    for (int v = 0; v < 4; ++v) *reinterpret_cast<UnalignedVector*>(sums + v * kLanes) = total[v];
  }

  void finish(const KernelArgs& args, const float* sums, std::int64_t first,
              std::int64_t count) const {
    const float* bias = epilogue_.bias ? args.in<float>(Epilogue::kBiasInput) + first : nullptr;
    const float* residual =
        epilogue_.residual ? args.in<float>(Epilogue::kResidualInput) + first : nullptr;
    float* to = args.out<float>(0) + first;
    for (std::int64_t i = 0; i < count; ++i) {
      const float x = sums[i] + (bias != nullptr ? bias[i] : 0);
      to[i] = epilogue_.activate(x + (residual != nullptr ? residual[i] : 0));
    }
  }

  std::int64_t depth_;
  std::int64_t columns_;
  Epilogue epilogue_;
  HeldBytes panels_;
};

bool all_f32(const OpCall& call) {
  for (const TensorType* type : call.inputs)
    if (type != nullptr && type->element != ElementType::F32) return false;
  return true;
}

/// Nothing unless there is one row, the matrix is constant and the bias has a number per column.
std::optional<Prepared> prepare_row(const OpCall& call, std::int64_t rows, std::int64_t depth,
                                    std::int64_t columns, bool transposed) {
  if (!all_f32(call) || rows != 1 || call.known[1] == nullptr) return std::nullopt;
  const std::int64_t elements = element_count(call.outputs[0]);
  if (elements != columns || element_count(call.input(1)) != depth * columns ||
      call.outputs[0].dims.back() != columns)
    return std::nullopt;
  const Epilogue epilogue = read_epilogue(call);
  if (epilogue.bias && element_count(call.input(Epilogue::kBiasInput)) != columns)
    return std::nullopt;
  const TensorType output = call.outputs[0];
  const Cut cut{static_cast<int>(output.dims.size()) - 1, kPanel};
  Prepared prepared;
  prepared.implementation = "row_product";
  prepared.packed_inputs = {1};
  if (columns > kPanel) prepared.cuts = {cut};
  auto kernel = std::make_shared<RowProduct>(depth, columns, epilogue);
  prepared.make = [kernel, output, matrix = *call.known[1], depth, columns, transposed,
                   packed = false](const Part& part) mutable -> Kernel {
    if (!packed) {
      const Tensor plain = matrix.aligned();
      const float* b = plain.data<float>().data();
      if (transposed)
        kernel->pack([=](std::int64_t k, std::int64_t n) { return b[n * depth + k]; });
      else
        kernel->pack([=](std::int64_t k, std::int64_t n) { return b[k * columns + n]; });
      packed = true;
    }
    CutRange range{0, columns};
    if (part.count > 1) range = cut_range(output, part.cut, part.index, part.count);
    return [kernel, range](const KernelArgs& args) { kernel->run(args, range); };
  };
  return prepared;
}

}  // namespace

std::optional<Prepared> prepare_row_matmul(const OpCall& call) {
  if (call.rank(0) < 2 || call.rank(1) < 2) return std::nullopt;
  const MatMulGeometry shapes = matmul_geometry(call);
  return prepare_row(call, shapes.rows * element_count(shapes.batch), shapes.depth, shapes.columns,
                     false);
}

std::optional<Prepared> prepare_row_gemm(const OpCall& call) {
  const GemmGeometry gemm = gemm_geometry(call);
  if (gemm.alpha != 1 || (gemm.beta != 1 && call.has(2))) return std::nullopt;
  return prepare_row(call, gemm.rows, gemm.depth, gemm.columns, gemm.transpose_b);
}

}  // namespace braid::cpu
