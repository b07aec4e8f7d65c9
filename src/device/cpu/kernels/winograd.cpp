#include "device/cpu/kernels/winograd.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/checked.h"
#include "device/cpu/kernels/activation_step.h"
#include "device/cpu/kernels/panel_block.h"
#include "device/cpu/kernels/panel_depths.h"
#include "device/cpu/kernels/winograd_filters.h"
#include "device/cpu/kernels/winograd_plain.h"
#include "device/cpu/kernels/winograd_transforms.h"
#include "device/cpu/machine/machine.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kBytesOfFloat = sizeof(float);
constexpr std::int64_t kFloatsOfLine = kLineBytes / kBytesOfFloat;
/// Tiles that go through the filters together are at least this many, so that reading the filters
/// is worth it.
constexpr std::int64_t kLeastTiles = 48;
/// They take this part of the second-level cache between the steps; filters and images want the
/// rest.
constexpr std::int64_t kShareOfTiles = 4;

alignas(64) constexpr float kNoResidual[kWidestPanel] = {};

/// What one part makes of a group: columns are its output channels, rows those of tiles.
struct WinogradPart {
  CutRange images;
  CutRange rows;
  CutRange columns;  ///< begin at a band
};

/// Columns of a band: panels whose results are written together, as many in each as can be, with
/// as many bands in one half as in the other.
std::int64_t band_width(std::int64_t panel, std::int64_t columns) {
  const std::int64_t panels = ceil_div(columns, panel);
  const std::int64_t bands = ceil_div(panels, kWidestPanel / panel);
  return ceil_div(panels, bands > 1 ? bands + bands % 2 : bands) * panel;
}

/// Tiles go through three steps, some at a time, so that what is between the steps stays in a
/// cache; of F(4 x 4, 3 x 3):
///
///     B' d B of each tile:     36 matrices [tiles][channels]
///     for a band of columns
///       times the filters:     36 products [tiles][columns of the band]
///       A' m A of each tile:   results, with what comes after the sums
///
/// All of it for one group of channels, which lie apart from pixel to pixel.
class WinogradConv {
 public:
  WinogradConv(const OpCall& call, const ConvGeometry& conv, std::int64_t outputs,
               std::int64_t group)
      : conv_(conv),
        channels_(conv.in_channels_of_group()),
        columns_(conv.out_channels_of_group()),
        first_channel_(group * channels_),
        first_column_(group * columns_),
        transforms_(winograd_transforms(isa_, outputs)),
        epilogue_(read_epilogue(call)),
        activation_(epilogue_.is_relu() ? ActivationStep{} : activation_step(epilogue_)),
        shape_(panel_shape(isa_)),
        width_(panel_width(shape_, kLeastTiles, columns_)),
        band_(band_width(width_, columns_)),
        filters_(*call.known[1], transforms_,
                 {first_column_, columns_, channels_, shape_.lanes, width_, band_}),
        row_floats_(ceil_div(channels_, shape_.lanes) * shape_.lanes),
        zeros_(static_cast<std::size_t>(channels_)) {
    const std::int64_t all = checked_mul(conv.batch, checked_mul(tiles_along(0), tiles_along(1)));
    const std::int64_t tile_bytes =
        checked_mul(transforms_.matrices() * kBytesOfFloat, row_floats_ + band_);
    most_tiles_ = std::min(
        all, std::max(kLeastTiles, machine().second_level_bytes / kShareOfTiles / tile_bytes));
  }

  /// Columns of a band.
  std::int64_t band() const { return band_; }
  std::int64_t tiles_along(std::size_t axis) const {
    return ceil_div(conv_.window.output[axis], transforms_.outputs);
  }

  std::int64_t scratch_bytes() const {
    return checked_mul(transforms_.matrices() * kBytesOfFloat,
                       checked_add(matrix_stride(row_floats_), matrix_stride(band_)));
  }

  std::int64_t filter_bytes() const { return filters_.bytes(); }

  /// Transforms the filters at the first call.
  void make() { filters_.make(); }

  void run(const KernelArgs& args, const WinogradPart& part) const {
    const std::int64_t tiles =
        (part.images.end - part.images.begin) * (part.rows.end - part.rows.begin) * tiles_along(1);
    const std::int64_t groups = ceil_div(tiles, most_tiles_);
    std::int64_t tile = 0;
    for (std::int64_t i = 0; i < groups; ++i) {
      const std::int64_t own = tiles / groups + (i < tiles % groups ? 1 : 0);
      run_group({args, part, {tile, tile + own}});
      tile += own;
    }
  }

 private:
  struct Group {
    const KernelArgs& args;
    const WinogradPart& part;
    CutRange tiles;

    std::int64_t count() const { return tiles.end - tiles.begin; }
  };

  /// Where the outputs of a tile begin.
  struct Corner {
    std::int64_t image;
    std::int64_t y;
    std::int64_t x;
  };

  struct Band {
    std::int64_t begin;
    std::int64_t columns;         ///< that there are
    std::int64_t packed_columns;  ///< whole vectors
  };

  /// Lines of different matrices do not compete for the same places in a cache.
  std::int64_t matrix_stride(std::int64_t row) const {
    return checked_add(checked_mul(most_tiles_, row), kFloatsOfLine);
  }
  float* inputs_of(const KernelArgs& args) const { return reinterpret_cast<float*>(args.scratch); }
  float* products_of(const KernelArgs& args) const {
    return inputs_of(args) + transforms_.matrices() * matrix_stride(row_floats_);
  }

  Corner corner_of(const Group& group, std::int64_t tile) const {
    const std::int64_t rows = group.part.rows.end - group.part.rows.begin;
    const std::int64_t row = tile / tiles_along(1);
    return {group.part.images.begin + row / rows,
            (group.part.rows.begin + row % rows) * transforms_.outputs,
            tile % tiles_along(1) * transforms_.outputs};
  }

  void run_group(const Group& group) const {
    for (std::int64_t tile = group.tiles.begin; tile < group.tiles.end; ++tile)
      transform_tile(group, tile);
    const CutRange columns = group.part.columns;
    for (std::int64_t begin = columns.begin; begin < columns.end; begin += band_) {
      const std::int64_t own = std::min(band_, columns.end - begin);
      const Band band{begin, own, filters_.width_of_band(begin)};
      multiply(group, band);
      if (write_tiles(group, band, group.tiles)) continue;
      for (std::int64_t tile = group.tiles.begin; tile < group.tiles.end; ++tile)
        if (!write_tiles(group, band, {tile, tile + 1})) write_plain_sums(group, band, tile);
    }
  }

  void transform_tile(const Group& group, std::int64_t tile) const {
    const float* pixels[kMostWinogradMatrices];
    find_pixels(group.args, corner_of(group, tile), pixels);
    transforms_.input({pixels, channels_,
                       inputs_of(group.args) + (tile - group.tiles.begin) * row_floats_,
                       matrix_stride(row_floats_)});
  }

  /// The pixels that a tile reads; zeros where they are padding.
  void find_pixels(const KernelArgs& args, const Corner& corner, const float** pixels) const {
    const Window& window = conv_.window;
    const std::int64_t height = window.input[0];
    const std::int64_t width = window.input[1];
    const float* image =
        args.in<float>(0) + corner.image * height * width * conv_.in_channels + first_channel_;
    const std::int64_t first = corner.x - window.pads_begin[1];
    for (std::int64_t i = 0; i < transforms_.inputs; ++i) {
      const std::int64_t y = corner.y - window.pads_begin[0] + i;
      const bool inside = y >= 0 && y < height;
      for (std::int64_t x = first; x < first + transforms_.inputs; ++x)
        *pixels++ = inside && x >= 0 && x < width ? image + (y * width + x) * conv_.in_channels
                                                  : zeros_.data();
    }
  }

  void multiply(const Group& group, const Band& band) const {
    for (std::int64_t i = 0; i < transforms_.matrices(); ++i)
      for (std::int64_t panel = band.begin; panel < band.begin + band.columns; panel += width_) {
        const std::int64_t columns = filters_.width_of_panel(panel);
        const float* filter = filters_.at(panel, i);
        const bool last =
            i + 1 == transforms_.matrices() && panel + width_ >= group.part.columns.end;
        const float* next =
            last ? filters_.at(group.part.columns.begin, 0) : filter + channels_ * columns;
        multiply_one({.inputs = inputs_of(group.args) + i * matrix_stride(row_floats_),
                      .filter = filter,
                      .to = products_of(group.args) + i * matrix_stride(band_) + panel - band.begin,
                      .rows = group.count(),
                      .columns = columns,
                      .to_row = band.packed_columns,
                      .next = next});
      }
  }

  /// The product of one matrix and one panel.
  struct Product {
    const float* inputs;
    const float* filter;
    float* to;
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t to_row;  ///< from row to row of the product
    const float* next;    ///< the panel that comes after this
  };

  /// In the depths and blocks of a PanelProduct.
  void multiply_one(const Product& product) const {
    const std::int64_t vectors = product.columns / shape_.lanes;
    const std::int64_t blocks = ceil_div(product.rows, shape_.rows_of(vectors));
    const std::int64_t deep = ceil_div(channels_, ceil_div(channels_, deepest(product.columns)));
    const std::int64_t next_bytes = channels_ * product.columns * kBytesOfFloat;
    const FetchRate rate = fetch_rate(next_bytes, blocks, channels_);
    std::int64_t fetched = 0;
    for (std::int64_t c = 0; c < channels_; c += deep) {
      const float* panel = product.filter + c * product.columns;
      PanelBlock block;
      block.taps = 1;
      block.channels = std::min(deep, channels_ - c);
      block.panels = &panel;
      block.first = c == 0;
      std::int64_t row = 0;
      for (std::int64_t i = 0; i < blocks; ++i) {
        const std::int64_t own = product.rows / blocks + (i < product.rows % blocks ? 1 : 0);
        const float* pieces[kMostBlockRows];
        float* to[kMostBlockRows];
        for (std::int64_t r = 0; r < own; ++r, ++row) {
          pieces[r] = product.inputs + row * row_floats_ + c;
          to[r] = product.to + row * product.to_row;
        }
        block.pieces = pieces;
        block.to = to;
        block.next =
            reinterpret_cast<const std::byte*>(product.next) + std::min(fetched, next_bytes);
        fetched += bytes_fetched(rate, block.channels);
        panel_block(isa_, own, vectors, rate)(block);
      }
    }
  }

  /// Pixels of a tile that are in the image.
  struct Extent {
    std::int64_t height;
    std::int64_t width;
  };
  Extent extent_of(const Corner& corner) const {
    return {std::min(transforms_.outputs, conv_.window.output[0] - corner.y),
            std::min(transforms_.outputs, conv_.window.output[1] - corner.x)};
  }
  /// A pixel's number among all of the output.
  std::int64_t pixel_at(const Corner& corner, std::int64_t y, std::int64_t x) const {
    return (corner.image * conv_.window.output[0] + corner.y + y) * conv_.window.output[1] +
           corner.x + x;
  }
  const float* bias_of(const KernelArgs& args, const Band& band) const {
    return args.in<float>(Epilogue::kBiasInput) + first_column_ + band.begin;
  }
  const float* residual_of(const KernelArgs& args, const Band& band, std::int64_t pixel) const {
    return args.in<float>(Epilogue::kResidualInput) + pixel * conv_.out_channels + first_column_ +
           band.begin;
  }
  std::int64_t pitch_of(const KernelArgs& args) const {
    return args.pitch_of_rows(conv_.out_channels);
  }
  float* result_of(const KernelArgs& args, const Band& band, std::int64_t pixel) const {
    return args.out<float>(0) + pixel * pitch_of(args) + first_column_ + band.begin;
  }

  /// False if a sum is not finite.
  bool write_tiles(const Group& group, const Band& band, CutRange tiles) const {
    alignas(64) float not_finite[kWidestPanel] = {};
    alignas(64) float bias[kWidestPanel] = {};
    WinogradOutput output;
    output.matrix_stride = matrix_stride(band_);
    output.columns = band.packed_columns;
    output.relu = epilogue_.is_relu();
    output.not_finite = not_finite;
    if (epilogue_.bias) {
      std::copy_n(bias_of(group.args, band), band.columns, bias);
      output.bias = bias;
    }
    for (std::int64_t tile = tiles.begin; tile < tiles.end; ++tile) {
      output.products = products_of(group.args) + (tile - group.tiles.begin) * band.packed_columns;
      write_tile(group.args, band, corner_of(group, tile), output);
    }
    return std::accumulate(not_finite, not_finite + shape_.lanes, 0.0F) == 0;
  }

  /// Results go where they belong, or aside if they have more columns, are not yet activated or lie
  /// outside the image.
  void write_tile(const KernelArgs& args, const Band& band, const Corner& corner,
                  WinogradOutput output) const {
    const Extent extent = extent_of(corner);
    const bool whole_vectors = band.columns == band.packed_columns;
    const bool aside = activation_.function != nullptr || !whole_vectors;
    alignas(64) float own[kMostWinogradPixels * kWidestPanel];
    alignas(64) float own_residual[kMostWinogradPixels * kWidestPanel];
    float* to[kMostWinogradPixels];
    const float* residual[kMostWinogradPixels];
    for (std::int64_t y = 0, i = 0; y < transforms_.outputs; ++y)
      for (std::int64_t x = 0; x < transforms_.outputs; ++x, ++i) {
        const bool inside = y < extent.height && x < extent.width;
        const std::int64_t pixel = pixel_at(corner, y, x);
        to[i] = aside || !inside ? own + i * kWidestPanel : result_of(args, band, pixel);
        if (!epilogue_.residual) continue;
        residual[i] = kNoResidual;
        if (!inside) continue;
        residual[i] = residual_of(args, band, pixel);
        if (!whole_vectors) {
          float* copy = own_residual + i * kWidestPanel;
          std::fill(std::copy_n(residual[i], band.columns, copy), copy + band.packed_columns, 0.0F);
          residual[i] = copy;
        }
      }
    output.to = to;
    if (epilogue_.residual) output.residual = residual;
    transforms_.output(output);
    if (aside) write_rows(args, band, corner, own);
  }

  /// What was put aside, activated.
  void write_rows(const KernelArgs& args, const Band& band, const Corner& corner,
                  const float* from) const {
    const Extent extent = extent_of(corner);
    const std::int64_t pitch = pitch_of(args);
    for (std::int64_t y = 0; y < extent.height; ++y, from += transforms_.outputs * kWidestPanel) {
      float* to = result_of(args, band, pixel_at(corner, y, 0));
      if (activation_.function != nullptr)
        activation_.function({.a = from,
                              .a_row = kWidestPanel,
                              .to = to,
                              .rows = extent.width,
                              .count = band.columns,
                              .alpha = activation_.alpha,
                              .beta = activation_.beta,
                              .to_row = pitch});
      else
        for (std::int64_t x = 0; x < extent.width; ++x)
          std::copy_n(from + x * kWidestPanel, band.columns, to + x * pitch);
    }
  }

  /// The tile without any transform.
  void write_plain_sums(const Group& group, const Band& band, std::int64_t tile) const {
    const KernelArgs& args = group.args;
    const Corner corner = corner_of(group, tile);
    const Extent extent = extent_of(corner);
    const float* pixels[kMostWinogradMatrices];
    float own[kMostWinogradPixels * kWidestPanel];
    find_pixels(args, corner, pixels);
    const auto weights = [&](std::int64_t column, CutRange channels, float* to) {
      filters_.restore(band.begin + column, channels, to);
    };
    sum_plainly({transforms_.outputs, pixels, channels_, weights, band.columns, own});
    for (std::int64_t y = 0; y < extent.height; ++y)
      for (std::int64_t x = 0; x < extent.width; ++x)
        finish(args, band, pixel_at(corner, y, x),
               own + (y * transforms_.outputs + x) * kWidestPanel);
    write_rows(args, band, corner, own);
  }

  /// What comes after the sums of a pixel, but for activations that write_rows() does.
  void finish(const KernelArgs& args, const Band& band, std::int64_t pixel, float* sums) const {
    for (std::int64_t n = 0; n < band.columns; ++n) {
      if (epilogue_.bias) sums[n] += bias_of(args, band)[n];
      if (epilogue_.residual) sums[n] += residual_of(args, band, pixel)[n];
      if (epilogue_.is_relu() && sums[n] < 0) sums[n] = 0;
    }
  }

  const Isa isa_ = isa();
  ConvGeometry conv_;
  std::int64_t channels_;  // of the group
  std::int64_t columns_;   // of the group
  std::int64_t first_channel_;
  std::int64_t first_column_;
  WinogradTransforms transforms_;
  Epilogue epilogue_;
  ActivationStep activation_;
  const PanelShape& shape_;
  std::int64_t width_;  // of a panel
  std::int64_t band_;   // columns
  WinogradFilters filters_;
  std::int64_t row_floats_;  // a pixel's channels, filled up to whole vectors
  std::int64_t most_tiles_ = 0;
  std::vector<float> zeros_;  // a pixel of padding
};

}  // namespace

Way prepare_winograd(const OpCall& call, const ConvGeometry& conv, std::int64_t outputs) {
  std::vector<std::shared_ptr<WinogradConv>> groups;
  for (std::int64_t i = 0; i < conv.groups; ++i)
    groups.push_back(std::make_shared<WinogradConv>(call, conv, outputs, i));
  const WinogradConv& first = *groups.front();
  const std::int64_t columns = conv.out_channels_of_group();
  const std::int64_t grain = conv.groups > 1 ? columns : first.band();
  Way way;
  way.implementation = outputs == 4 ? kWinograd4 : kWinograd2;
  way.scratch_bytes = first.scratch_bytes();
  way.extra_bytes = checked_mul(conv.groups, first.filter_bytes()) - byte_size(call.input(1));
  way.packed_inputs = {1};
  way.takes_pitch = true;
  const AxisOrder channels_last = channels_last_order(call.dims(0).size());
  way.input_orders = {channels_last, {}, {}, channels_last};
  way.output_orders = {channels_last};
  if (conv.batch > 1) way.cuts.push_back({0, 1});
  if (first.tiles_along(0) > 1) way.cuts.push_back({2, outputs});
  if (conv.out_channels > grain) way.cuts.push_back({1, grain});
  const WinogradPart whole{{0, conv.batch}, {0, first.tiles_along(0)}, {0, columns}};
  way.make = [=, output = call.outputs[0]](const Part& part) -> Kernel {
    for (const auto& group : groups) group->make();
    WinogradPart own = whole;
    CutRange own_groups{0, conv.groups};
    if (part.count > 1) {
      const CutRange range = cut_range(output, part.cut, part.index, part.count);
      if (part.cut.axis == 0)
        own.images = range;
      else if (part.cut.axis == 2)
        own.rows = {range.begin / outputs, ceil_div(range.end, outputs)};
      else if (conv.groups > 1)
        own_groups = {range.begin / columns, range.end / columns};
      else
        own.columns = range;
    }
    return [=](const KernelArgs& args) {
      for (std::int64_t i = own_groups.begin; i < own_groups.end; ++i)
        groups[static_cast<std::size_t>(i)]->run(args, own);
    };
  };
  return way;
}

}  // namespace braid::cpu
