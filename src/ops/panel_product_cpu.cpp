#include "ops/panel_product_cpu.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "base/checked.h"
#include "device/cpu/isa.h"
#include "device/cpu/large_pages.h"
#include "device/cpu/part.h"
#include "ops/finish_cpu.h"

namespace braid::cpu {
namespace {

constexpr int kLanes = 16;
constexpr int kMostVectors = 4;
constexpr int kMostRows = 6;  // with four vectors each, they fill the registers of AVX-512
constexpr std::int64_t kPanel = kMostVectors * kLanes;
constexpr std::int64_t kFloatBytes = sizeof(float);
constexpr std::int64_t kLineBytes = 64;
/// Steps of the depth for which `Lines` lines of what comes next are fetched: slowly, or the loads
/// of the present panel wait behind them.
constexpr int kStride = 4;
/// So much of a panel, and so many bytes of rows of `a`, stay in a core's second-level cache.
constexpr std::int64_t kDeepest = 768;
constexpr std::int64_t kRowBytes = 1 << 20;

using Vector [[gnu::vector_size(64)]] = float;
using UnalignedVector [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = float;

/// c += a x b for a few rows and one panel; c = a x b if it is `first`.
struct Block {
  const float* a = nullptr;
  std::int64_t a_stride = 0;
  const float* b = nullptr;
  std::int64_t depth = 0;
  float* c = nullptr;
  std::int64_t c_stride = 0;
  bool first = true;
  bool last = true;                 ///< nothing is added to c later
  const std::byte* next = nullptr;  ///< is fetched meanwhile
};

// By reference: vectors as arguments are passed otherwise from one instruction set to another.
[[gnu::always_inline]] inline void load(Vector& vector, const float* from) {
  vector = *reinterpret_cast<const UnalignedVector*>(from);
}
[[gnu::always_inline]] inline void store(const Vector& vector, float* to) {
  *reinterpret_cast<UnalignedVector*>(to) = vector;
}

template <int Rows, int Vectors, int Lines>
[[gnu::always_inline]] inline void add_up(const Block& block) {
  const float* a = block.a;
  const float* b = block.b;
  const std::int64_t a_stride = block.a_stride;
  const std::byte* next = block.next;
  Vector total[Rows][Vectors];
#pragma GCC unroll 6
  for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      total[row][v] = Vector{};
      if (!block.first) load(total[row][v], block.c + row * block.c_stride + v * kLanes);
    }
  const auto step = [&](std::int64_t k) __attribute__((always_inline)) {
    Vector columns[Vectors];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) load(columns[v], b + (k * Vectors + v) * kLanes);
#pragma GCC unroll 6
    for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) total[row][v] += columns[v] * a[row * a_stride + k];
  };
  std::int64_t k = 0;
  for (; k + kStride <= block.depth; k += kStride) {
#pragma GCC unroll 2
    for (int line = 0; line < Lines; ++line) __builtin_prefetch(next + line * kLineBytes, 0, 2);
    next += Lines * kLineBytes;
#pragma GCC unroll 4
    for (int i = 0; i < kStride; ++i) step(k + i);
  }
  for (; k < block.depth; ++k) step(k);
#pragma GCC unroll 6
  for (int row = 0; row < Rows; ++row)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v)
      store(total[row][v], block.c + row * block.c_stride + v * kLanes);
}

/// One row runs at the speed of memory on any processor.
template <int Rows, int Vectors, int Lines>
void run_block(const Block& block) {
  const auto body = [&]() __attribute__((always_inline)) { add_up<Rows, Vectors, Lines>(block); };
  if constexpr (Rows == 1)
    on_best_isa(body);
  else
    run_avx512(body);
}

using RunBlock = void (*)(const Block&);

template <int Lines, int... I>
constexpr auto blocks_of(std::integer_sequence<int, I...>) {
  return std::array<RunBlock, sizeof...(I)>{
      run_block<I / kMostVectors + 1, I % kMostVectors + 1, Lines>...};
}
constexpr auto kAllSizes = std::make_integer_sequence<int, kMostRows * kMostVectors>{};
constexpr auto kBlocksByLines = std::array{blocks_of<1>(kAllSizes), blocks_of<2>(kAllSizes)};

/// The matrix lies in pieces of the depth, each of panels of `kPanel` columns, each in the order in
/// which a block reads it. The last panel has fewer columns, filled up with zeros.
class PanelProduct {
 public:
  explicit PanelProduct(const PanelProductCall& call) : call_(call) {
    const std::int64_t pieces = ceil_div(call_.depth, kDeepest);
    deepest_ = ceil_div(call_.depth, pieces);
    packed_columns_ = ceil_div(call_.columns, kLanes) * kLanes;
  }

  /// Packs the matrix at the first call.
  void make() {
    const std::scoped_lock lock(making_);
    if (panels_.bytes != nullptr) return;
    const std::int64_t floats = checked_mul(packed_columns_, call_.depth);
    panels_ = room_for_constant(checked_mul(floats, kFloatBytes));
    const std::byte* from = call_.matrix.bytes().data();  // may be unaligned
    const auto element = [&](std::int64_t k, std::int64_t n) {
      float value = 0;
      std::memcpy(&value, from + (k * call_.k_stride + n * call_.n_stride) * kFloatBytes,
                  sizeof value);
      return value;
    };
    auto* to = reinterpret_cast<float*>(panels_.bytes);
    for (std::int64_t piece = 0; piece < call_.depth; piece += deepest_)
      for (std::int64_t panel = 0; panel < packed_columns_; panel += kPanel)
        for (std::int64_t k = piece; k < std::min(piece + deepest_, call_.depth); ++k)
          for (std::int64_t n = panel; n < std::min(panel + kPanel, packed_columns_); ++n)
            *to++ = n < call_.columns ? element(k, n) : 0;
    call_.matrix = {};
  }

  /// The columns begin at a panel.
  void run(const KernelArgs& args, CutRange rows, CutRange columns) const {
    for (std::int64_t piece = 0; piece < call_.depth; piece += deepest_) {
      const std::int64_t most =
          std::max(kRowBytes / (deepest_ * kFloatBytes), std::int64_t{4} * kMostRows);
      for (std::int64_t row = rows.begin; row < rows.end; row += most)
        for (std::int64_t panel = columns.begin; panel < columns.end; panel += kPanel)
          run_panel(args, piece, {row, std::min(row + most, rows.end)},
                    {panel, std::min(panel + kPanel, columns.end)}, columns);
    }
  }

 private:
  std::int64_t depth_at(std::int64_t piece) const {
    return std::min(deepest_, call_.depth - piece);
  }
  const float* panel_at(std::int64_t piece, std::int64_t column) const {
    return reinterpret_cast<const float*>(panels_.bytes) + piece * packed_columns_ +
           column * depth_at(piece);
  }

  /// What is read after this panel.
  const float* panel_after(std::int64_t piece, CutRange panel, CutRange columns) const {
    if (panel.end < columns.end) return panel_at(piece, panel.end);
    const std::int64_t next = piece + deepest_ < call_.depth ? piece + deepest_ : piece;
    return panel_at(next, columns.begin);
  }

  void run_panel(const KernelArgs& args, std::int64_t piece, CutRange rows, CutRange panel,
                 CutRange columns) const {
    const std::int64_t blocks = ceil_div(rows.end - rows.begin, kMostRows);
    const std::int64_t share = (rows.end - rows.begin) / blocks;
    const std::int64_t larger = (rows.end - rows.begin) % blocks;
    const auto vectors = static_cast<int>(ceil_div(panel.end - panel.begin, kLanes));
    // With one line at a time it takes so many blocks to fetch a panel.
    const std::int64_t lines = blocks >= kStride * kMostVectors ? 1 : 2;
    const auto& sizes = kBlocksByLines[static_cast<std::size_t>(lines - 1)];
    const std::int64_t fetched = lines * (depth_at(piece) / kStride) * kLineBytes;
    const std::int64_t fetching = ceil_div(kStride * kMostVectors, lines);
    Block block;
    block.a_stride = call_.a_stride;
    block.b = panel_at(piece, panel.begin);
    block.depth = depth_at(piece);
    block.first = piece == 0;
    block.last = piece + block.depth == call_.depth;
    block.next = reinterpret_cast<const std::byte*>(panel_after(piece, panel, columns));
    std::int64_t row = rows.begin;
    for (std::int64_t i = 0; i < blocks; ++i) {
      const auto count = static_cast<int>(share + (i < larger ? 1 : 0));
      block.a = args.in<float>(0) + row * call_.a_stride + piece;
      run_rows(args, sizes[static_cast<std::size_t>((count - 1) * kMostVectors + vectors - 1)],
               block, {row, row + count}, panel);
      if (i + 1 < fetching) block.next += fetched;
      row += count;
    }
  }

  /// A block whose vectors reach beyond its columns works in a place of its own.
  void run_rows(const KernelArgs& args, RunBlock run, Block block, CutRange rows,
                CutRange panel) const {
    const std::int64_t count = panel.end - panel.begin;
    float* place = args.out<float>(0) + rows.begin * call_.columns + panel.begin;
    ResultRows results{place, call_.columns, rows.end - rows.begin, count};
    alignas(64) float aside[kMostRows * kPanel];
    const bool narrow = count % kLanes != 0;
    const auto copy = [&](float* to, std::int64_t to_stride, const float* from,
                          std::int64_t from_stride) {
      for (std::int64_t r = 0; r < results.rows; ++r)
        std::memcpy(to + r * to_stride, from + r * from_stride,
                    static_cast<std::size_t>(count) * sizeof(float));
    };
    block.c = narrow ? aside : place;
    block.c_stride = narrow ? kPanel : call_.columns;
    if (narrow && !block.first) copy(aside, kPanel, place, call_.columns);
    run(block);
    if (narrow) copy(place, call_.columns, aside, kPanel);
    if (block.last) finish_rows(args, results, rows.begin, panel.begin);
  }

  void finish_rows(const KernelArgs& args, const ResultRows& results, std::int64_t row,
                   std::int64_t column) const {
    const Epilogue& epilogue = call_.epilogue;
    if (epilogue == Epilogue{}) return;
    const float* bias = epilogue.bias ? args.in<float>(Epilogue::kBiasInput) + column : nullptr;
    const float* residual =
        epilogue.residual ? args.in<float>(call_.residual_input) + row * call_.columns + column
                          : nullptr;
    finish(epilogue, results, bias, residual, call_.columns);
  }

  PanelProductCall call_;
  std::int64_t deepest_ = 0;
  std::int64_t packed_columns_ = 0;
  std::mutex making_;
  HeldBytes panels_;
};

/// Parts of columns read their own columns of the matrix and all of `a`; parts of rows the other
/// way round. The better cut comes first.
std::vector<Cut> cuts_of(const OpCall& call, const PanelProductCall& product) {
  std::vector<Cut> cuts;
  const Dims& dims = call.outputs[0].dims;
  if (product.columns > kPanel) cuts.push_back({product.column_axis, kPanel});
  if (product.row_axis && dims[static_cast<std::size_t>(product.row_axis->axis)] > 1)
    cuts.push_back({product.row_axis->axis, 1});
  if (product.rows > product.columns) std::reverse(cuts.begin(), cuts.end());
  return cuts;
}

}  // namespace

std::optional<Prepared> prepare_panel_product(const OpCall& call, const PanelProductCall& product) {
  if (product.rows > 1 && isa() != Isa::Avx512) return std::nullopt;
  Prepared prepared;
  prepared.implementation = "panels";
  prepared.packed_inputs = {1};
  prepared.cuts = cuts_of(call, product);
  const auto kernel = std::make_shared<PanelProduct>(product);
  prepared.make = [kernel, output = call.outputs[0], rows = product.rows, columns = product.columns,
                   column_axis = product.column_axis,
                   row_axis = product.row_axis](const Part& part) -> Kernel {
    kernel->make();
    CutRange part_rows{0, rows};
    CutRange part_columns{0, columns};
    if (part.count > 1) {
      const CutRange range = cut_range(output, part.cut, part.index, part.count);
      if (part.cut.axis == column_axis)
        part_columns = range;
      else
        part_rows = {range.begin * row_axis->rows, range.end * row_axis->rows};
    }
    return [kernel, part_rows, part_columns](const KernelArgs& args) {
      kernel->run(args, part_rows, part_columns);
    };
  };
  return prepared;
}

}  // namespace braid::cpu
