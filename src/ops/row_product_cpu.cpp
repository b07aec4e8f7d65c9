#include <algorithm>
#include <memory>

#include "base/checked.h"
#include "device/cpu/isa.h"
#include "device/cpu/large_pages.h"
#include "device/cpu/part.h"
#include "ops/conv.h"
#include "ops/elementwise_cpu.h"
#include "ops/epilogue.h"
#include "ops/kernels_cpu.h"
#include "ops/matmul.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kPanel = 4 * kLanes;
using Vector [[gnu::vector_size(64)]] = float;
using UnalignedVector [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = float;

/// The step that computes an activation; null if there is none or it has none.
BlockFunction activation_step(Activation activation) {
  switch (activation) {
    case Activation::Relu:
      return block_function("Relu");
    case Activation::LeakyRelu:
      return block_function("LeakyRelu");
    case Activation::Elu:
      return block_function("Elu");
    case Activation::Sigmoid:
      return block_function("Sigmoid");
    case Activation::HardSigmoid:
      return block_function("HardSigmoid");
    case Activation::HardSwish:
      return block_function("HardSwish");
    case Activation::Silu:
      return block_function("Swish");
    case Activation::Tanh:
      return block_function("Tanh");
    case Activation::Gelu:
      return block_function("Gelu");
    case Activation::GeluTanh:
      return block_function("GeluTanh");
    case Activation::None:
    case Activation::Clip:
      return nullptr;
  }
  return nullptr;
}

/// One row times a constant matrix: as fast as memory gives the matrix. It is packed into panels of
/// `kPanel` columns (or one narrower panel), in each of which a run walks straight through memory.
class RowProduct {
 public:
  RowProduct(std::int64_t depth, std::int64_t columns, Epilogue epilogue)
      : depth_(depth),
        columns_(columns),
        width_(std::min(kPanel, ceil_div(columns, kLanes) * kLanes)),
        epilogue_(epilogue),
        activation_(activation_step(epilogue.activation)) {}

  /// `at(k, n)` is the matrix.
  template <class At>
  void pack(const At& at) {
    const std::int64_t floats = checked_mul(ceil_div(columns_, width_) * width_, depth_);
    panels_ = room_for_constant(checked_mul(floats, std::int64_t{sizeof(float)}));
    auto* to = reinterpret_cast<float*>(panels_.bytes);
    for (std::int64_t first = 0; first < columns_; first += width_)
      for (std::int64_t k = 0; k < depth_; ++k)
        for (std::int64_t n = first; n < first + width_; ++n) *to++ = n < columns_ ? at(k, n) : 0;
  }

  /// The columns of the range, which begins at a panel.
  void run(const KernelArgs& args, CutRange range) const {
    const float* panel =
        reinterpret_cast<const float*>(panels_.bytes) + range.begin / width_ * (depth_ * width_);
    for (std::int64_t first = range.begin; first < range.end;
         first += width_, panel += depth_ * width_) {
      alignas(64) float sums[kPanel];
      add_up(args.in<float>(0), panel, sums);
      finish(args, sums, first, std::min(width_, range.end - first));
    }
  }

 private:
  void add_up(const float* x, const float* panel, float* sums) const {
    on_best_isa([&]() __attribute__((always_inline)) {
      switch (width_ / kLanes) {
        case 1:
          return add_up_vectors<1>(x, panel, sums);
        case 2:
          return add_up_vectors<2>(x, panel, sums);
        case 3:
          return add_up_vectors<3>(x, panel, sums);
        default:
          return add_up_vectors<4>(x, panel, sums);
      }
    });
  }

  template <int Vectors>
  [[gnu::always_inline]] void add_up_vectors(const float* x, const float* panel,
                                             float* sums) const {
    Vector total[Vectors] = {};
    for (std::int64_t k = 0; k < depth_; ++k, panel += Vectors * kLanes) {
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        total[v] += *reinterpret_cast<const UnalignedVector*>(panel + v * kLanes) * x[k];
    }
    for (int v = 0; v < Vectors; ++v)
      *reinterpret_cast<UnalignedVector*>(sums + v * kLanes) = total[v];
  }

  void finish(const KernelArgs& args, float* sums, std::int64_t first, std::int64_t count) const {
    const auto add = [&](std::size_t input) {
      const float* more = args.in<float>(input) + first;
      for (std::int64_t i = 0; i < count; ++i) sums[i] += more[i];
    };
    if (epilogue_.bias) add(Epilogue::kBiasInput);
    if (epilogue_.residual) add(Epilogue::kResidualInput);
    float* to = args.out<float>(0) + first;
    if (activation_ != nullptr)
      activation_({.a = sums, .to = to, .count = count, .alpha = alpha(), .beta = epilogue_.beta});
    else
      for (std::int64_t i = 0; i < count; ++i) to[i] = epilogue_.activate(sums[i]);
  }

  float alpha() const { return epilogue_.activation == Activation::Silu ? 1 : epilogue_.alpha; }

  std::int64_t depth_;
  std::int64_t columns_;
  std::int64_t width_;  ///< of a panel
  Epilogue epilogue_;
  BlockFunction activation_;  ///< null: none, or one without a step
  HeldBytes panels_;
};

bool all_f32(const OpCall& call) {
  for (const TensorType* type : call.inputs)
    if (type != nullptr && type->element != ElementType::F32) return false;
  return true;
}

/// Nothing unless there is one row, the matrix is constant and the bias has a number per column.
/// `axis` is the output's that the columns run along.
std::optional<Prepared> prepare_row(const OpCall& call, std::int64_t rows, std::int64_t depth,
                                    std::int64_t columns, bool transposed, std::size_t axis) {
  if (!all_f32(call) || rows != 1 || call.known[1] == nullptr) return std::nullopt;
  const std::int64_t elements = element_count(call.outputs[0]);
  if (elements != columns || element_count(call.input(1)) != depth * columns ||
      call.outputs[0].dims[axis] != columns)
    return std::nullopt;
  const Epilogue epilogue = read_epilogue(call);
  if (epilogue.bias && element_count(call.input(Epilogue::kBiasInput)) != columns)
    return std::nullopt;
  const TensorType output = call.outputs[0];
  const Cut cut{static_cast<int>(axis), kPanel};
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
                     false, call.outputs[0].dims.size() - 1);
}

std::optional<Prepared> prepare_row_gemm(const OpCall& call) {
  const GemmGeometry gemm = gemm_geometry(call);
  if (gemm.alpha != 1 || (gemm.beta != 1 && call.has(2))) return std::nullopt;
  return prepare_row(call, gemm.rows, gemm.depth, gemm.columns, gemm.transpose_b, 1);
}

/// A 1x1 convolution of one pixel, as in squeeze-and-excite blocks.
std::optional<Prepared> prepare_row_conv(const OpCall& call) {
  const ConvGeometry conv = conv_geometry(call);
  const Window& window = conv.window;
  const auto all = [](const Dims& dims, std::int64_t expected) {
    return std::ranges::all_of(dims, [=](std::int64_t d) { return d == expected; });
  };
  if (conv.groups != 1 || !all(window.input, 1) || !all(window.kernel, 1) ||
      !all(window.output, 1) || !all(window.pads_begin, 0))
    return std::nullopt;
  return prepare_row(call, conv.batch, conv.in_channels, conv.out_channels, true, 1);
}

}  // namespace braid::cpu
