#include "device/cpu/kernels/image_band.h"

#include <algorithm>

#include "base/checked.h"
#include "device/cpu/kernels/interleave.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kBytesOfElement = sizeof(float);
constexpr std::int64_t kMostBandElements = std::int64_t{1} << 22;

std::int64_t pixels_of_line(const Window& window) {
  return (window.output[2] - 1) * window.strides[2] + window.kernel[2];
}

/// The lines of a plane that so many rows reach over.
std::int64_t lines_of_rows(const Window& window, std::int64_t rows) {
  return (rows - 1) * window.strides[1] + (window.kernel[1] - 1) * window.dilations[1] + 1;
}

}  // namespace

bool ImageBand::can_hold(const ConvGeometry& conv) {
  const Window window = with_three_axes(conv.window);
  std::int64_t left = kMostBandElements;
  for (const std::int64_t factor :
       {conv.in_channels, pixels_of_line(window), lines_of_rows(window, 1), window.kernel[0]})
    left /= factor;
  return left > 0;
}

ImageBand::ImageBand(const ConvGeometry& conv, bool channels_last, const Room& room)
    : channels_(conv.in_channels),
      channels_last_(channels_last || conv.in_channels == 1),
      window_(with_three_axes(conv.window)),
      line_(pixels_of_line(window_) * channels_),
      rows_(rows_within(room)) {
  for (std::int64_t plane = 0; plane < window_.kernel[0]; ++plane)
    for (std::int64_t row = 0; row < window_.kernel[1]; ++row)
      taps_.push_back((plane * lines_of_rows(window_, rows_) + row * window_.dilations[1]) * line_);
}

std::int64_t ImageBand::bytes_of(std::int64_t rows) const {
  return checked_mul(checked_mul(window_.kernel[0], lines_of_rows(window_, rows)),
                     line_ * kBytesOfElement);
}

std::int64_t ImageBand::rows_within(const Room& room) const {
  const std::int64_t all = window_.output[1];
  const std::int64_t left = std::max(room.bytes - bytes_of(1) - room.besides, std::int64_t{0});
  const std::int64_t each = bytes_of(2) - bytes_of(1) + room.besides;
  return ceil_div(all, ceil_div(all, 1 + left / each));
}

void ImageBand::fill(const float* image, std::int64_t plane, CutRange rows, float* band) const {
  const std::int64_t count = rows.end - rows.begin;
  const std::int64_t first_plane = plane * window_.strides[0] - window_.pads_begin[0];
  const std::int64_t first_row = rows.begin * window_.strides[1] - window_.pads_begin[1];
  const std::int64_t plane_elements = lines_of_rows(window_, rows_) * line_;
  for (std::int64_t k = 0; k < window_.kernel[0]; ++k)
    for (std::int64_t i = 0; i < lines_of_rows(window_, count); ++i)
      if (is_read(i, count))
        fill_line(image, first_plane + k * window_.dilations[0], first_row + i,
                  band + k * plane_elements + i * line_);
}

bool ImageBand::is_read(std::int64_t line, std::int64_t rows) const {
  if (window_.dilations[1] != 1) return true;
  const std::int64_t last_row = std::min(line / window_.strides[1], rows - 1);
  return line - last_row * window_.strides[1] < window_.kernel[1];
}

void ImageBand::fill_line(const float* image, std::int64_t plane, std::int64_t row,
                          float* line) const {
  const Dims& input = window_.input;
  if (plane < 0 || plane >= input[0] || row < 0 || row >= input[1]) {
    std::fill_n(line, line_, 0.0F);
    return;
  }
  const std::int64_t all = pixels_of_line(window_);
  const std::int64_t before = std::min(window_.pads_begin[2], all);
  const std::int64_t pixels = std::min(input[2], all - before);
  const std::int64_t first = (plane * input[1] + row) * input[2];
  float* const to = std::fill_n(line, before * channels_, 0.0F);
  if (channels_last_)
    std::copy_n(image + first * channels_, pixels * channels_, to);
  else
    interleave({image + first, element_count(input), channels_, pixels}, to);
  std::fill(to + pixels * channels_, line + line_, 0.0F);
}

}  // namespace braid::cpu
