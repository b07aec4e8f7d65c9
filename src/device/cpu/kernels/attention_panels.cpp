#include "device/cpu/kernels/attention_panels.h"

#include <algorithm>

#include "base/checked.h"
#include "device/cpu/kernels/registers.h"

namespace braid::cpu {
namespace {

/// Some columns of a matrix, to be written in rows of `width`.
struct PanelOfMatrix {
  LooseMatrix matrix;  ///< those columns alone
  std::int64_t width = 0;
  float* to = nullptr;
};

constexpr std::int64_t kSquare = 4;
using Quad = Register<kSquare>::Vector;

/// Four pieces of four elements, `step` apart, become the columns of a square.
void turn_square(const float* from, std::int64_t step, float* to, std::int64_t width) {
  Quad rows[kSquare];
  for (std::int64_t i = 0; i < kSquare; ++i) load<kSquare>(rows[i], from + i * step);
  const Quad low02 = __builtin_shufflevector(rows[0], rows[2], 0, 4, 1, 5);
  const Quad high02 = __builtin_shufflevector(rows[0], rows[2], 2, 6, 3, 7);
  const Quad low13 = __builtin_shufflevector(rows[1], rows[3], 0, 4, 1, 5);
  const Quad high13 = __builtin_shufflevector(rows[1], rows[3], 2, 6, 3, 7);
  store<kSquare>(__builtin_shufflevector(low02, low13, 0, 4, 1, 5), to);
  store<kSquare>(__builtin_shufflevector(low02, low13, 2, 6, 3, 7), to + width);
  store<kSquare>(__builtin_shufflevector(high02, high13, 0, 4, 1, 5), to + 2 * width);
  store<kSquare>(__builtin_shufflevector(high02, high13, 2, 6, 3, 7), to + 3 * width);
}

void copy_elements(const PanelOfMatrix& panel, std::int64_t depth, std::int64_t column,
                   std::int64_t columns) {
  const LooseMatrix& m = panel.matrix;
  for (std::int64_t c = column; c < columns; ++c)
    panel.to[depth * panel.width + c] = m.from[depth * m.depth_step + c * m.column_step];
}

/// Goes along the pieces, which may lie so far apart that few of them share the cache.
void turn_panel(const PanelOfMatrix& panel) {
  const LooseMatrix& m = panel.matrix;
  const std::int64_t whole_columns = m.columns / kSquare * kSquare;
  const std::int64_t whole_depth = m.depth / kSquare * kSquare;
  for (std::int64_t c = 0; c < whole_columns; c += kSquare)
    for (std::int64_t d = 0; d < whole_depth; d += kSquare)
      turn_square(m.from + d + c * m.column_step, m.column_step, panel.to + d * panel.width + c,
                  panel.width);
  for (std::int64_t d = 0; d < m.depth; ++d)
    copy_elements(panel, d, d < whole_depth ? whole_columns : 0, m.columns);
}

void pack_panel(const PanelOfMatrix& panel) {
  const LooseMatrix& m = panel.matrix;
  if (m.depth_step == 1 && m.column_step != 1) {
    turn_panel(panel);
  } else if (m.column_step == 1) {
    for (std::int64_t d = 0; d < m.depth; ++d)
      std::copy_n(m.from + d * m.depth_step, m.columns, panel.to + d * panel.width);
  } else {
    for (std::int64_t d = 0; d < m.depth; ++d) copy_elements(panel, d, 0, m.columns);
  }
  for (std::int64_t d = 0; d < m.depth && m.columns < panel.width; ++d)
    std::fill_n(panel.to + d * panel.width + m.columns, panel.width - m.columns, 0.0F);
}

}  // namespace

std::int64_t packed_columns(std::int64_t columns, std::int64_t lanes) {
  return checked_mul(ceil_div(columns, lanes), lanes);
}

void pack_panels(const LooseMatrix& matrix, std::int64_t width, std::int64_t lanes, float* to) {
  for (std::int64_t c = 0; c < matrix.columns; c += width) {
    PanelOfMatrix panel{matrix, 0, to + c * matrix.depth};
    panel.matrix.from += c * matrix.column_step;
    panel.matrix.columns = std::min(width, matrix.columns - c);
    panel.width = packed_columns(panel.matrix.columns, lanes);
    pack_panel(panel);
  }
}

}  // namespace braid::cpu
