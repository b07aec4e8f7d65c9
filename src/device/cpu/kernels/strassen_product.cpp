#include "device/cpu/kernels/strassen_product.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "base/checked.h"
#include "device/cpu/kernels/strassen_block.h"
#include "device/cpu/machine/machine.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kFloatSize = sizeof(float);
constexpr std::int64_t kLineOfFloats = kLineBytes / kFloatSize;
/// Rows of a unit and their sums take about this part of the second-level cache.
constexpr std::int64_t kShareOfUnit = 2;
/// With fewer rows the sums of panels cost more of what is saved.
constexpr std::int64_t kRowsOfUnit = 192;
constexpr std::int64_t kLeastRows = 32;
constexpr std::int64_t kLeastDepth = 64;
/// A row may be this many times as large as the one it is added to, whose error grows likewise.
constexpr float kMostUnlike = 64;

/// Rows that are worth a unit: more let the sums of panels cost less, fewer stay nearer.
std::int64_t rows_wanted(const PanelProductCall& call) {
  const std::int64_t depth = std::min(call.channels, deepest(kWidestPanel));
  return std::max(kRowsOfUnit,
                  machine().second_level_bytes / kShareOfUnit / (2 * depth * kFloatSize));
}

/// Whether two cores can have as many units each; else they share pairs of panels.
bool shares_units(const PanelProductCall& call) {
  return call.row_axis && call.rows >= 2 * kRowsOfUnit && call.rows >= 2 * call.row_axis->rows;
}

/// What two cores that share the columns would take, or one that has all, in plain columns.
std::int64_t columns_of_larger_half(std::int64_t columns, std::int64_t pair, bool shared) {
  const std::int64_t grains = ceil_div(columns, pair);
  const std::int64_t own =
      shared ? std::min(ceil_div(grains, std::int64_t{2}) * pair, columns) : columns;
  return 8 * own - own / pair * pair;
}

/// Columns of a panel: those with which most is saved; 0 if there is no pair. Of narrower panels
/// more has to be loaded for each product, which costs about a hundredth for each vector less.
std::int64_t strassen_width(const PanelProductCall& call) {
  const PanelShape& shape = panel_shape(isa());
  const bool shared = !shares_units(call);
  std::int64_t best = 0;
  std::int64_t least = 0;
  for (std::int64_t vectors = 2; vectors <= shape.most_vectors; ++vectors) {
    const std::int64_t width = vectors * shape.lanes;
    if (call.columns < 2 * width) break;
    const std::int64_t cost = columns_of_larger_half(call.columns, 2 * width, shared) *
                              (100 + shape.most_vectors - vectors);
    if (best != 0 && cost > least) continue;
    best = width;
    least = cost;
  }
  return best;
}

/// Rows that parts are made of: whole elements of the axis that rows may be cut along. There are as
/// many for one core as for the other.
std::int64_t rows_of_grain(const PanelProductCall& call) {
  if (!call.row_axis) return call.rows;
  const std::int64_t elements = call.rows / call.row_axis->rows;
  if (!shares_units(call)) return elements * call.row_axis->rows;
  std::int64_t of_one = elements;
  for (std::int64_t half = call.rows / (2 * rows_wanted(call)) + 1; half > 0; --half) {
    of_one = ceil_div(elements, std::min(2 * half, elements));
    if (ceil_div(elements, of_one) % 2 == 0) break;
  }
  return of_one * call.row_axis->rows;
}

/// As many rows in each unit of a grain as in the others.
std::int64_t rows_of_unit(const PanelProductCall& call) {
  const std::int64_t grain = rows_of_grain(call);
  return ceil_div(grain, std::max<std::int64_t>(1, grain / rows_wanted(call)));
}

/// Sums of neighbouring rows do not compete for the same places in a cache.
std::int64_t floats_of_half(const std::vector<Depth>& depths) {
  return depths.front().channels / 2 + kLineOfFloats;
}

/// Some rows, one behind the other; for the one behind the last there is another.
struct Rows {
  const float* first = nullptr;
  std::int64_t stride = 0;
  std::int64_t count = 0;
  const float* behind = nullptr;

  const float* operator[](std::int64_t i) const { return i < count ? first + i * stride : behind; }
};

/// The scratch memory of a run.
struct Scratch {
  float* sums;  ///< of rows: s1 of all, then s2 and so on
  std::int64_t sum_floats;
  float* made;  ///< the sum of panels
  float* x;     ///< dense rows, as wide as a panel
  float* y;
  float* not_finite;  ///< a vector for each pair

  static std::int64_t floats(std::int64_t half_rows, std::int64_t half, std::int64_t width,
                             std::int64_t pairs) {
    return half_rows * (4 * half + 2 * width) + half * width + pairs * kLineOfFloats;
  }
  Scratch(std::byte* bytes, std::int64_t half_rows, std::int64_t half, std::int64_t width)
      : sums(reinterpret_cast<float*>(bytes)),
        sum_floats(half_rows * half),
        made(sums + 4 * sum_floats),
        x(made + half * width),
        y(x + half_rows * width),
        not_finite(y + half_rows * width) {}
};

/// What becomes of the products of all rows of a half of a unit with a panel.
struct Results {
  Rows begin;           ///< is added; the first is null: nothing
  float* to = nullptr;  ///< null: nowhere
  std::int64_t stride = 0;
  std::int64_t count = 0;  ///< of rows; one behind them goes nowhere
  Rows more;               ///< is added, too
  const float* bias = nullptr;
  float* not_finite = nullptr;
  bool activated = false;
  bool is_final = false;  ///< goes where nothing of the kernel has been
};

/// What is fetched while products are made. A pair of panels is read for the first time by its
/// first three products: b11, b21, then b12 and b22, in the order of memory. It is fetched by those
/// that come right before the third: what comes earlier would be gone from the cache again.
///
///     pair     … 5 6 7 | 1 2 3 4 5 6 7 | 1 2 3 …
///     fetched        - | - -         - | - -
///
/// The others fetch the rows of the next unit, if that is set.
class PairFetching {
 public:
  PairFetching(std::int64_t pair_bytes, std::int64_t product_bytes)
      : pair_bytes_(pair_bytes),
        first_(kProducts + kThird -
               std::clamp(ceil_div(pair_bytes, product_bytes), kThird, kProducts)) {}

  void begin_pair(const float* pair, const float* next) {
    if (at_ == nullptr) set(pair);
    next_pair_ = next;
    product_ = 0;
  }
  void begin_product() {
    if (++product_ == first_) set(next_pair_);
  }
  void set_rows(std::span<const std::byte> rows) { rows_ = rows; }
  /// For a block that fetches so much.
  const std::byte* next(std::int64_t bytes) {
    const std::byte* from = at_;
    if (product_ < kThird || product_ >= first_) {
      at_ = std::min(at_ + bytes, end_);
    } else if (!rows_.empty()) {
      from = rows_.data();
      rows_ = rows_.subspan(std::min(rows_.size(), static_cast<std::size_t>(bytes)));
    } else {
      from = end_ - kLineBytes;
    }
    return from;
  }

 private:
  static constexpr std::int64_t kProducts = 7;
  static constexpr std::int64_t kThird = 3;

  void set(const float* pair) {
    at_ = reinterpret_cast<const std::byte*>(pair);
    end_ = at_ + pair_bytes_;
  }

  std::int64_t pair_bytes_;
  std::int64_t first_;  // the product that begins to fetch the next pair
  const float* next_pair_ = nullptr;
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  std::span<const std::byte> rows_;
  std::int64_t product_ = 0;
};

/// A unit of rows in one depth.
class StrassenUnit {
 public:
  StrassenUnit(const PanelProduct& product, const KernelArgs& args, CutRange rows,
               const Depth& depth, const Scratch& scratch, const float* zeros)
      : product_(product),
        call_(product.call()),
        args_(args),
        rows_(rows),
        depth_(depth),
        scratch_(scratch),
        zeros_(zeros),
        half_(depth.channels / 2),
        half_floats_(floats_of_half(product.panels().depths())),
        fetching_(2 * depth.channels * product.panels().width() * kFloatSize,
                  ceil_div(upper_rows(), most_rows()) * block_fetches()) {}

  /// Makes the sums of rows. False if two that are added are too unlike.
  bool sum_rows() const {
    const Rows upper = a_rows(Upper, 0);
    const Rows lower = a_rows(Lower, 0);
    for (std::int64_t i = 0; i < upper_rows(); ++i) {
      StrassenRows rows{upper[i], lower[i], half_, scratch_.sums + i * half_floats_,
                        scratch_.sum_floats};
      strassen_rows(isa_)(rows);
      const auto [less, more] = std::minmax(rows.largest_top, rows.largest_bottom);
      // In this form also if one is infinite.
      if (i < lower_rows() && !(more <= kMostUnlike * less)) return false;
    }
    return true;
  }

  /// Has rows that will be read next fetched by what is multiplied from now on.
  void fetch_rows(CutRange rows) {
    const std::byte* a = args_.inputs[0];
    const std::int64_t row_bytes = call_.row_stride * kFloatSize;
    fetching_.set_rows({a + rows.begin * row_bytes, a + rows.end * row_bytes});
  }

  /// The pair of panels that begins at a column; `next` is the one after it.
  void multiply_pair(std::int64_t column, const float* next) {
    const std::int64_t width = product_.panels().width();
    const float* b11 = product_.panels().at(depth_, column);
    const float* b21 = b11 + half_ * width;
    const float* b12 = b11 + depth_.channels * width;
    const float* b22 = b12 + half_ * width;
    const Rows x = dense(scratch_.x);
    const Rows y = dense(scratch_.y);
    fetching_.begin_pair(b11, next);
    multiply(a_rows(Upper, 0), {b11}, {aside(scratch_.x, {})});
    multiply(a_rows(Upper, half_), {b21}, {result(Upper, column, x)});
    multiply(sums(2), {b22, b12, b11}, {aside(scratch_.x, x)});
    multiply(a_rows(Lower, half_), {b21, scratch_.made}, {aside(scratch_.y, x)});
    multiply(sums(1), {b12, b11}, {aside(scratch_.x, x)});
    multiply(sums(4), {b22}, {result(Upper, column + width, x)});
    multiply(sums(3), {b22, b12}, {result(Lower, column, y), result(Lower, column + width, x)});
  }

 private:
  enum Half { Upper, Lower };

  /// panel - minus + plus
  struct Panels {
    const float* panel = nullptr;
    const float* minus = nullptr;
    const float* plus = nullptr;

    StrassenPanels count() const {
      if (minus == nullptr) return StrassenPanels::One;
      return plus == nullptr ? StrassenPanels::Two : StrassenPanels::Three;
    }
  };

  /// Of a block.
  std::int64_t most_rows() const {
    return shape_.rows_of(product_.panels().width() / shape_.lanes);
  }
  std::int64_t block_fetches() const { return bytes_fetched(strassen_fetch_rate(isa_), half_); }
  std::int64_t upper_rows() const { return ceil_div(rows_.end - rows_.begin, std::int64_t{2}); }
  std::int64_t lower_rows() const { return (rows_.end - rows_.begin) / 2; }
  std::int64_t first_row(Half half) const {
    return rows_.begin + (half == Lower ? upper_rows() : 0);
  }
  std::int64_t count_of(Half half) const { return half == Lower ? lower_rows() : upper_rows(); }

  /// Elements of the depth, from one on.
  Rows a_rows(Half half, std::int64_t from) const {
    return {args_.in<float>(0) + first_row(half) * call_.row_stride + depth_.channel + from,
            call_.row_stride, count_of(half), zeros_};
  }
  Rows sums(std::int64_t number) const {
    return {scratch_.sums + (number - 1) * scratch_.sum_floats, half_floats_, upper_rows(),
            nullptr};
  }
  Rows dense(const float* first) const {
    return {first, product_.panels().width(), upper_rows(), nullptr};
  }

  Results aside(float* to, const Rows& begin) const {
    Results results;
    results.begin = begin;
    results.to = to;
    results.stride = product_.panels().width();
    results.count = upper_rows();
    return results;
  }

  /// Bias and residual are added in the first depth, to what was there in the others.
  Results result(Half half, std::int64_t column, const Rows& begin) const {
    const std::int64_t pitch = args_.pitch_of_rows(call_.columns);
    Results results;
    results.begin = begin;
    results.to = args_.out<float>(0) + first_row(half) * pitch + column;
    results.stride = pitch;
    results.count = count_of(half);
    results.activated = depth_.last;
    results.is_final = true;
    results.not_finite =
        scratch_.not_finite + column / (2 * product_.panels().width()) * kLineOfFloats;
    if (depth_.index > 0) {
      results.more = {results.to, pitch, results.count, zeros_};
      return results;
    }
    if (call_.epilogue.bias) results.bias = args_.in<float>(Epilogue::kBiasInput) + column;
    if (call_.epilogue.residual)
      results.more = {
          args_.in<float>(call_.residual_input) + first_row(half) * call_.columns + column,
          call_.columns, results.count, zeros_};
    return results;
  }

  /// All rows of a half. The first block makes the sum of panels.
  void multiply(const Rows& rows, const Panels& panels, std::initializer_list<Results> results) {
    fetching_.begin_product();
    const std::int64_t most = most_rows();
    const bool sums_up = panels.minus != nullptr;
    std::int64_t row = 0;
    if (sums_up) row = multiply_rows(rows, panels, results, {0, most});
    const Panels made{sums_up ? scratch_.made : panels.panel};
    const std::int64_t left = upper_rows() - row;
    const std::int64_t blocks = ceil_div(left, most);
    for (std::int64_t i = 0; i < blocks; ++i)
      row = multiply_rows(rows, made, results,
                          {row, row + left / blocks + (i < left % blocks ? 1 : 0)});
  }

  /// A block. Returns the row behind it.
  std::int64_t multiply_rows(const Rows& rows, const Panels& panels,
                             std::initializer_list<Results> results, CutRange own) {
    const std::int64_t vectors = product_.panels().width() / shape_.lanes;
    const float* row_at[kMostBlockRows];
    for (std::int64_t i = own.begin; i < own.end; ++i) row_at[i - own.begin] = rows[i];
    StrassenBlock block{.rows = row_at,
                        .depth = half_,
                        .panel = panels.panel,
                        .minus = panels.minus,
                        .plus = panels.plus,
                        .made = scratch_.made,
                        .outputs = {},
                        .next = fetching_.next(block_fetches())};
    Destination places[2];
    std::size_t i = 0;
    for (const Results& each : results) {
      places[i].find(*this, each, own);
      block.outputs[i] = places[i].output;
      ++i;
    }
    strassen_block(isa_, own.end - own.begin, vectors, panels.count())(block);
    i = 0;
    for (const Results& each : results) places[i++].finish(*this, each, own);
    return own.end;
  }

  /// Where the rows of a block go: where they belong, or aside if they are to be activated or there
  /// is no such row.
  struct Destination {
    StrassenOutput output;
    const float* begin[kMostBlockRows];
    const float* more[kMostBlockRows];
    float* to[kMostBlockRows];
    alignas(64) float own[kMostBlockRows * kWidestPanel];

    static bool is_aside(const StrassenUnit& unit, const Results& results) {
      return results.activated && unit.product_.activation().function != nullptr;
    }

    void find(const StrassenUnit& unit, const Results& results, CutRange rows) {
      for (std::int64_t i = rows.begin; i < rows.end; ++i) {
        const std::int64_t at = i - rows.begin;
        begin[at] = results.begin[i];
        more[at] = results.more[i];
        to[at] = is_aside(unit, results) || i >= results.count ? own + at * kWidestPanel
                                                               : results.to + i * results.stride;
        if (results.is_final) {
          fetch_row(to[at], unit.product_.panels().width());
          if (more[at] != nullptr) fetch_row(more[at], unit.product_.panels().width());
        }
      }
      output = {.begin = results.begin.first != nullptr ? begin : nullptr,
                .bias = results.bias,
                .more = results.more.first != nullptr ? more : nullptr,
                .relu = results.activated && unit.call_.epilogue.is_relu(),
                .to = to,
                .not_finite = results.not_finite};
    }

    void finish(const StrassenUnit& unit, const Results& results, CutRange rows) const {
      const std::int64_t count = std::min(rows.end, results.count) - rows.begin;
      if (!is_aside(unit, results) || count <= 0) return;
      const ActivationStep& step = unit.product_.activation();
      step.function({.a = own,
                     .a_row = kWidestPanel,
                     .to = results.to + rows.begin * results.stride,
                     .rows = count,
                     .count = unit.product_.panels().width(),
                     .alpha = step.alpha,
                     .beta = step.beta,
                     .to_row = results.stride});
    }
  };

  const Isa isa_ = isa();
  const PanelShape& shape_ = panel_shape(isa_);
  const PanelProduct& product_;
  const PanelProductCall& call_;
  const KernelArgs& args_;
  CutRange rows_;
  const Depth& depth_;
  const Scratch& scratch_;
  const float* zeros_;
  std::int64_t half_;
  std::int64_t half_floats_;
  PairFetching fetching_;
};

}  // namespace

bool StrassenProduct::suits(const PanelProductCall& call) {
  const PanelShape& shape = panel_shape(isa());
  const std::int64_t width = strassen_width(call);
  if (call.images != 1 || call.taps != 1 || !call.groups.empty() || call.rows < kLeastRows ||
      call.channels < kLeastDepth || width == 0)
    return false;
  return std::ranges::all_of(depths_of(1, call.channels, width), [&](const Depth& depth) {
    return depth.channels % 2 == 0 && depth.channels / 2 >= shape.lanes;
  });
}

StrassenProduct::StrassenProduct(PanelProductCall call)
    : width_(strassen_width(call)),
      grain_(rows_of_grain(call)),
      unit_(rows_of_unit(call)),
      plain_(std::move(call), width_),
      zeros_(
          static_cast<std::size_t>(std::max(plain_.panels().depths().front().channels, width_))) {}

std::int64_t StrassenProduct::scratch_bytes() const {
  return checked_mul(kFloatSize, Scratch::floats(ceil_div(unit_, std::int64_t{2}),
                                                 floats_of_half(plain_.panels().depths()), width_,
                                                 plain_.call().columns / pair_columns()));
}

void StrassenProduct::run(const KernelArgs& args, CutRange rows, CutRange columns) const {
  const std::int64_t least = 2 * panel_shape(isa()).rows_of(width_ / panel_shape(isa()).lanes);
  const CutRange paired{columns.begin,
                        columns.end - (columns.end - columns.begin) % pair_columns()};
  for (std::int64_t grain = rows.begin; grain < rows.end; grain += grain_) {
    const std::int64_t end = std::min(grain + grain_, rows.end);
    for (std::int64_t row = grain; row < end; row += unit_) {
      const CutRange unit{row, std::min(row + unit_, end)};
      if (unit.end - unit.begin < least)
        plain_.run(args, unit, paired);
      else
        run_unit(args, unit, paired, std::min(unit.end + unit_, rows.end));
    }
  }
  if (paired.end < columns.end) plain_.run(args, rows, {paired.end, columns.end});
}

void StrassenProduct::run_unit(const KernelArgs& args, CutRange rows, CutRange columns,
                               std::int64_t end_of_next) const {
  const PackedPanels& panels = plain_.panels();
  const Scratch scratch(args.scratch, ceil_div(unit_, std::int64_t{2}),
                        floats_of_half(panels.depths()), width_);
  const auto not_finite = [&](std::int64_t column) {
    return scratch.not_finite + column / pair_columns() * kLineOfFloats;
  };
  for (std::int64_t column = columns.begin; column < columns.end; column += pair_columns())
    std::fill_n(not_finite(column), kLineOfFloats, 0.0F);
  for (const Depth& depth : panels.depths()) {
    StrassenUnit unit(plain_, args, rows, depth, scratch, zeros_.data());
    if (!unit.sum_rows()) return plain_.run(args, rows, columns);
    for (std::int64_t column = columns.begin; column < columns.end; column += pair_columns()) {
      const bool last = column + pair_columns() >= columns.end;
      const Depth& next = last && !depth.last ? *(&depth + 1) : depth;
      if (last && panels.depths().size() == 1) unit.fetch_rows({rows.end, end_of_next});
      unit.multiply_pair(column, panels.at(next, last ? columns.begin : column + pair_columns()));
    }
  }
  for (std::int64_t column = columns.begin; column < columns.end; column += pair_columns()) {
    const float* sums = not_finite(column);
    if (std::accumulate(sums, sums + kLineOfFloats, 0.0F) != 0)
      plain_.run(args, rows, {column, column + pair_columns()});
  }
}

}  // namespace braid::cpu
