#include "ops/panel_product_cpu.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "device/cpu/isa.h"
#include "device/cpu/large_pages.h"
#include "device/cpu/part.h"
#include "ops/activation_cpu.h"
#include "ops/panel_block_cpu.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kFloatBytes = sizeof(float);
/// So much of a panel, and so many bytes of rows, stay in a core's second-level cache.
constexpr std::int64_t kDeepest = 768;
constexpr std::int64_t kRowBytes = 1 << 20;
/// If all panels stay there, then fewer rows do with what is made of them. So many are enough to
/// hide how long it takes to read the panels for the first time.
constexpr std::int64_t kPanelsBytes = 1 << 20;
constexpr std::int64_t kFewRowBytes = 1 << 18;
constexpr std::int64_t kFewRows = 48;
constexpr std::int64_t kWidest = kMostPanelVectors * kPanelLanes;

/// Blocks do Relu themselves.
ActivationStep step_after_sums(const Epilogue& epilogue) {
  return epilogue.activation == Activation::Relu ? ActivationStep{} : activation_step(epilogue);
}

/// Columns of a panel: narrower ones where they make two halves more even.
std::int64_t panel_width(std::int64_t columns) {
  const std::int64_t vectors = ceil_div(columns, kPanelLanes);
  const auto larger_half = [&](std::int64_t width) {
    return ceil_div(ceil_div(vectors, width), std::int64_t{2}) * width;
  };
  constexpr std::int64_t narrow = kMostPanelVectors - 1;
  const bool narrower = vectors >= 2 * narrow && larger_half(narrow) < larger_half(narrow + 1);
  return (narrower ? narrow : kMostPanelVectors) * kPanelLanes;
}

/// Some taps, or some channels of one.
struct Depth {
  std::int64_t tap = 0;
  std::int64_t taps = 1;
  std::int64_t channel = 0;
  std::int64_t channels = 0;
  std::int64_t before = 0;  ///< elements of all depths before it
  bool last = false;

  std::int64_t elements() const { return taps * channels; }
};

std::vector<Depth> depths_of(const PanelProductCall& call) {
  std::vector<Depth> depths;
  std::int64_t before = 0;
  const auto add = [&](Depth depth) {
    depth.before = before;
    before += depth.elements();
    depths.push_back(depth);
  };
  const std::int64_t together = std::max<std::int64_t>(1, kDeepest / call.channels);
  const std::int64_t pieces = ceil_div(call.channels, kDeepest);
  const std::int64_t deep = ceil_div(call.channels, pieces);
  for (std::int64_t tap = 0; tap < call.taps; tap += together)
    for (std::int64_t channel = 0; channel < call.channels; channel += deep)
      add({tap, std::min(together, call.taps - tap), channel,
           std::min(deep, call.channels - channel)});
  depths.back().last = true;
  return depths;
}

/// The matrix lies in depths, each of panels, each in the order in which a block reads it. The last
/// panel may be narrower; its columns are filled up with zeros to whole vectors.
class PanelProduct {
 public:
  explicit PanelProduct(PanelProductCall call)
      : call_(std::move(call)),
        width_(panel_width(call_.columns)),
        packed_columns_(ceil_div(call_.columns, kPanelLanes) * kPanelLanes),
        depths_(depths_of(call_)),
        activation_(step_after_sums(call_.epilogue)),
        zeros_(call_.pieces.empty() ? 0 : static_cast<std::size_t>(call_.channels)) {
    require(call_.taps == 1 || call_.channels >= kPanelLanes, "pieces of rows are not too short");
  }

  std::int64_t width() const { return width_; }

  /// Packs the matrix at the first call.
  void make() {
    const std::scoped_lock lock(making_);
    if (panels_.bytes != nullptr) return;
    const std::int64_t floats =
        checked_mul(packed_columns_, checked_mul(call_.taps, call_.channels));
    panels_ = room_for_constant(checked_mul(floats, kFloatBytes));
    auto* to = reinterpret_cast<float*>(panels_.bytes);
    for (const Depth& depth : depths_)
      for (std::int64_t panel = 0; panel < packed_columns_; panel += width_)
        for (std::int64_t tap = depth.tap; tap < depth.tap + depth.taps; ++tap)
          for (std::int64_t c = depth.channel; c < depth.channel + depth.channels; ++c)
            for (std::int64_t n = panel; n < std::min(panel + width_, packed_columns_); ++n)
              *to++ = n < call_.columns ? element(tap, c, n) : 0;
    call_.matrix = {};
  }

  /// The columns begin at a panel.
  void run(const KernelArgs& args, CutRange rows, CutRange columns) const {
    for (std::int64_t image = rows.begin / call_.rows; image * call_.rows < rows.end; ++image) {
      const std::int64_t first = image * call_.rows;
      const CutRange own{std::max(rows.begin - first, std::int64_t{0}),
                         std::min(rows.end - first, call_.rows)};
      for (const Depth& depth : depths_) run_depth({args, image, depth, columns}, own);
    }
  }

 private:
  struct Place {
    const KernelArgs& args;
    std::int64_t image;
    const Depth& depth;
    CutRange columns;
  };

  float element(std::int64_t tap, std::int64_t channel, std::int64_t column) const {
    float value = 0;
    const std::int64_t at =
        tap * call_.tap_stride + channel * call_.channel_stride + column * call_.column_stride;
    // The bytes may be unaligned.
    std::memcpy(&value, call_.matrix.bytes().data() + at * kFloatBytes, sizeof value);
    return value;
  }

  const float* panel_at(const Depth& depth, std::int64_t column) const {
    return reinterpret_cast<const float*>(panels_.bytes) + depth.before * packed_columns_ +
           column * depth.elements();
  }

  /// What is fetched while a panel is worked on: the next panel in the course of all its blocks, or
  /// the next rows in each.
  struct Fetching {
    const std::byte* panel = nullptr;  ///< null: rows
    std::int64_t panel_bytes = 0;
    std::int64_t lines = 2;
  };

  Fetching what_to_fetch(const Place& place, CutRange panel, std::int64_t blocks,
                         bool first_rows) const {
    const bool rows_in_line = call_.pieces.empty() && call_.row_stride == call_.channels;
    const bool one_panel = panel.begin == place.columns.begin && panel.end == place.columns.end;
    const bool known_panels = !first_rows && panel.begin == place.columns.begin;
    if (rows_in_line && depths_.size() == 1 && (one_panel || known_panels)) return {};
    const Depth* depth = &place.depth;
    std::int64_t column = panel.end;
    if (panel.end == place.columns.end) {
      column = place.columns.begin;
      if (!depth->last) ++depth;
    }
    const std::int64_t width = std::min(width_, place.columns.end - column);
    const std::int64_t steps = ceil_div(width, kPanelLanes) * kFetchStep;
    return {reinterpret_cast<const std::byte*>(panel_at(*depth, column)),
            depth->elements() * width * kFloatBytes, blocks >= steps ? 1 : 2};
  }

  /// That run through all panels before the next do.
  std::int64_t rows_together(const Place& place) const {
    const Depth& depth = place.depth;
    const std::int64_t columns = place.columns.end - place.columns.begin;
    if (depth.elements() * columns * kFloatBytes > kPanelsBytes)
      return std::max(kRowBytes / (depth.channels * kFloatBytes), kFewRows);
    return std::max(kFewRowBytes / ((depth.channels + columns) * kFloatBytes), kFewRows);
  }

  void run_depth(const Place& place, CutRange rows) const {
    const std::int64_t most = rows_together(place);
    for (std::int64_t row = rows.begin; row < rows.end; row += most)
      for (std::int64_t panel = place.columns.begin; panel < place.columns.end; panel += width_)
        run_panel(place, {row, std::min(row + most, rows.end)},
                  {panel, std::min(panel + width_, place.columns.end)}, row == rows.begin);
  }

  void run_panel(const Place& place, CutRange rows, CutRange panel, bool first_rows) const {
    const std::int64_t count = rows.end - rows.begin;
    const std::int64_t vectors = ceil_div(panel.end - panel.begin, kPanelLanes);
    const std::int64_t blocks = ceil_div(count, most_block_rows(vectors));
    const Fetching fetching = what_to_fetch(place, panel, blocks, first_rows);
    const Depth& depth = place.depth;
    const std::int64_t bytes =
        fetching.lines * depth.taps * (depth.channels / kFetchStep) * kLineBytes;
    PanelBlock block;
    block.taps = depth.taps;
    block.channels = depth.channels;
    block.panel = panel_at(depth, panel.begin);
    block.first = depth.before == 0;
    alignas(64) float bias[kWidest] = {};
    if (call_.epilogue.bias) {
      block.bias = place.args.in<float>(Epilogue::kBiasInput) + panel.begin;
      const std::int64_t width = panel.end - panel.begin;
      if (width % kPanelLanes != 0) block.bias = std::copy_n(block.bias, width, bias) - width;
    }
    std::int64_t row = rows.begin;
    for (std::int64_t i = 0; i < blocks; ++i) {
      const std::int64_t own = count / blocks + (i < count % blocks ? 1 : 0);
      const std::byte* next_row =
          place.args.inputs[0] + (row + own) * call_.row_stride * kFloatBytes;
      block.next = fetching.panel != nullptr
                       ? fetching.panel + std::min(i * bytes, fetching.panel_bytes)
                       : next_row;
      run_rows(place, panel_block(own, vectors, fetching.lines), block, {row, row + own}, panel);
      row += own;
    }
  }

  void find_pieces(const Place& place, CutRange rows, const float** pieces) const {
    const float* image =
        place.args.in<float>(0) + place.image * call_.image_stride + place.depth.channel;
    if (call_.pieces.empty()) {
      for (std::int64_t row = rows.begin; row < rows.end; ++row)
        *pieces++ = image + row * call_.row_stride;
      return;
    }
    for (std::int64_t tap = place.depth.tap; tap < place.depth.tap + place.depth.taps; ++tap)
      for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const std::int32_t at = call_.pieces[static_cast<std::size_t>(row * call_.taps + tap)];
        *pieces++ = at < 0 ? zeros_.data() : image + at;
      }
  }

  /// Sums lie where their results belong, or aside if they have more columns or are not yet them.
  void run_rows(const Place& place, RunPanelBlock run, PanelBlock block, CutRange rows,
                CutRange panel) const {
    const float* pieces[kDeepest / kPanelLanes * kMostBlockRows];
    find_pieces(place, rows, pieces);
    block.pieces = pieces;
    const bool last = place.depth.last;
    const Size size{rows.end - rows.begin, panel.end - panel.begin};
    const std::int64_t row = place.image * call_.rows + rows.begin;
    const std::int64_t pitch = place.args.pitch_of_rows(call_.columns);
    float* results = place.args.out<float>(0) + row * pitch + panel.begin;
    const bool whole_vectors = size.columns % kPanelLanes == 0;
    const bool activated = last && activation_.function != nullptr;
    const bool aside = activated || !whole_vectors;
    alignas(64) float own[kMostBlockRows * kWidest];
    block.to = aside ? own : results;
    block.to_stride = aside ? kWidest : pitch;
    if (block.first)
      fetch(results, pitch, size);
    else if (aside)
      copy(results, pitch, own, kWidest, size);
    alignas(64) float own_residual[kMostBlockRows * kWidest];
    if (last && call_.epilogue.residual) {
      block.residual =
          place.args.in<float>(call_.residual_input) + row * call_.columns + panel.begin;
      block.residual_stride = call_.columns;
      if (whole_vectors) {
        fetch(block.residual, call_.columns, size);
      } else {
        copy(block.residual, call_.columns, own_residual, kWidest, size);
        block.residual = own_residual;
        block.residual_stride = kWidest;
      }
    }
    block.relu = last && call_.epilogue.activation == Activation::Relu;
    run(block);
    if (activated)
      activation_.function({.a = own,
                            .a_row = kWidest,
                            .to = results,
                            .rows = size.rows,
                            .count = size.columns,
                            .alpha = activation_.alpha,
                            .beta = activation_.beta,
                            .to_row = pitch});
    else if (aside)
      copy(own, kWidest, results, pitch, size);
  }

  struct Size {
    std::int64_t rows;
    std::int64_t columns;
  };

  /// While the sums are made.
  static void fetch(const float* first, std::int64_t stride, const Size& size) {
    for (std::int64_t r = 0; r < size.rows; ++r)
      for (std::int64_t i = 0; i < size.columns; i += kLineBytes / kFloatBytes)
        __builtin_prefetch(first + r * stride + i);
  }

  static void copy(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride,
                   const Size& size) {
    for (std::int64_t r = 0; r < size.rows; ++r)
      std::copy_n(from + r * from_stride, size.columns, to + r * to_stride);
  }

  PanelProductCall call_;
  std::int64_t width_;
  std::int64_t packed_columns_;
  std::vector<Depth> depths_;
  ActivationStep activation_;
  std::vector<float> zeros_;
  std::mutex making_;
  HeldBytes panels_;
};

/// Microseconds, roughly, of the longer of two parts: parts of columns read their own columns of
/// the matrix and all of `a`; parts of rows the other way round.
double half_us(const OpCall& call, const PanelProductCall& product, const Cut& cut) {
  constexpr double flops_per_us = 170e3;
  constexpr double bytes_per_us = 26e3;
  const TensorType& output = call.outputs[0];
  const CutRange first = cut_range(output, cut, 0, 2);
  const double share = static_cast<double>(first.end - first.begin) /
                       static_cast<double>(output.dims[static_cast<std::size_t>(cut.axis)]);
  const double flops = 2.0 * static_cast<double>(element_count(output)) *
                       static_cast<double>(product.taps * product.channels);
  const auto matrix = static_cast<double>(element_count(call.input(1)));
  const auto rows = static_cast<double>(element_count(call.input(0)));
  const double read =
      cut.axis == product.column_axis ? matrix * share + rows : matrix + rows * share;
  return share * flops / flops_per_us + read * kFloatBytes / bytes_per_us;
}

/// The better cut comes first.
std::vector<Cut> cuts_of(const OpCall& call, const PanelProductCall& product,
                         std::int64_t panel_width) {
  std::vector<Cut> cuts;
  if (product.columns > panel_width) cuts.push_back({product.column_axis, panel_width});
  if (product.row_axis) cuts.push_back({product.row_axis->axis, 1});
  if (cuts.size() == 2 && half_us(call, product, cuts[1]) < half_us(call, product, cuts[0]))
    std::swap(cuts[0], cuts[1]);
  return cuts;
}

}  // namespace

std::optional<Prepared> prepare_panel_product(const OpCall& call, PanelProductCall product) {
  const std::int64_t all_rows = product.images * product.rows;
  if (all_rows > 1 && isa() != Isa::Avx512) return std::nullopt;
  const int column_axis = product.column_axis;
  const CutRange columns{0, product.columns};
  const std::int64_t rows_of_one = product.row_axis ? product.row_axis->rows : 1;
  Prepared prepared;
  prepared.implementation = kPanels;
  prepared.packed_inputs = {1};
  prepared.takes_pitch = true;
  prepared.cuts = cuts_of(call, product, panel_width(product.columns));
  const auto kernel = std::make_shared<PanelProduct>(std::move(product));
  prepared.make = [=, output = call.outputs[0]](const Part& part) -> Kernel {
    kernel->make();
    CutRange own_rows{0, all_rows};
    CutRange own_columns = columns;
    if (part.count > 1) {
      const CutRange range = cut_range(output, part.cut, part.index, part.count);
      if (part.cut.axis == column_axis)
        own_columns = range;
      else
        own_rows = {range.begin * rows_of_one, range.end * rows_of_one};
    }
    return [=](const KernelArgs& args) { kernel->run(args, own_rows, own_columns); };
  };
  return prepared;
}

}  // namespace braid::cpu
