#pragma once

#include <cstdint>
#include <vector>

#include "ops/conv.h"
#include "plan/plan.h"

namespace braid::cpu {

/// What some rows of output pixels of a convolution read of an image of few channels, copied so
/// that every row of a window is one piece: lines of pixels, the channels of each pixel side by
/// side, and zeros where windows read padding.
///
///     image, row-major:  r r r r         a line of the band:  0 0 0 r g b r g b r g b r g b 0 0 0
///                        g g g g         pieces of a window   |-----pixel 0-----|
///                        b b b b         of three columns:          |-----pixel 1-----|
///
/// A window reads a piece for each row of its kernel: a tap. Where the kernel has several planes,
/// the band has lines of as many.
class ImageBand {
 public:
  /// Whether the band of one row is not too large to be made.
  static bool can_hold(const ConvGeometry& conv);

  /// What a band has room in: so many bytes, of which each row of output pixels needs some besides.
  struct Room {
    std::int64_t bytes = 0;
    std::int64_t besides = 0;
  };

  /// For as many rows as there is room for, but one at least. The taps of the kernel are neighbours
  /// along the last axis.
  ImageBand(const ConvGeometry& conv, bool channels_last, const Room& room);

  std::int64_t rows() const { return rows_; }
  std::int64_t bytes() const { return bytes_of(rows_); }

  /// Copies what some rows read, `rows()` at most, all of one plane of output pixels.
  void fill(const float* image, std::int64_t plane, CutRange rows, float* band) const;

  /// Where the piece of each tap begins for the first pixel of the first row.
  const std::vector<std::int64_t>& taps() const { return taps_; }
  /// Elements of a piece.
  std::int64_t piece() const { return window_.kernel[2] * channels_; }
  /// From the pieces of a pixel to those of the next one in its row, and in the next row.
  std::int64_t next_pixel() const { return window_.strides[2] * channels_; }
  std::int64_t next_row() const { return window_.strides[1] * line_; }

 private:
  std::int64_t bytes_of(std::int64_t rows) const;
  std::int64_t rows_within(const Room& room) const;
  /// Whether one of that many rows reads the line; true as well if that is not easily told.
  bool is_read(std::int64_t line, std::int64_t rows) const;
  /// The line at a place of the image, which may be padding.
  void fill_line(const float* image, std::int64_t plane, std::int64_t row, float* line) const;

  std::int64_t channels_;
  bool channels_last_;
  Window window_;      // of three axes
  std::int64_t line_;  // elements
  std::int64_t rows_;
  std::vector<std::int64_t> taps_;
};

}  // namespace braid::cpu
