#include <algorithm>

#include "tests/ops/generators.h"

namespace braid {
namespace {

Tensor draw_scales(Draw& draw, std::int64_t count) {
  Tensor scales = Tensor::uninitialised({ElementType::F32, {count}});
  for (float& x : scales.mutable_data<float>()) x = draw.one_of({0.5F, 0.75F, 1.0F, 1.5F, 2.0F});
  return scales;
}

/// The region of interest: begins, then ends, in units of the extents.
Tensor draw_region(Draw& draw, std::int64_t axes) {
  Tensor region = Tensor::uninitialised({ElementType::F32, {2 * axes}});
  std::int64_t i = 0;
  for (float& x : region.mutable_data<float>())
    x = i++ < axes ? draw.real(-0.2F, 0.4F) : draw.real(0.6F, 1.2F);
  return region;
}

Case resize(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const std::string mode = draw.text_of({"nearest", "linear", "cubic"});
  if (mode != "nearest" || draw.chance()) c.attributes.set("mode", mode);
  if (mode == "nearest") c.attributes.erase("antialias");
  const bool crops = draw.chance(0.2);
  if (crops)
    c.attributes.set("coordinate_transformation_mode", std::string("tf_crop_and_resize"));
  else if (draw.chance(0.7))
    c.attributes.set("coordinate_transformation_mode",
                     draw.text_of({"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
                                   "align_corners", "asymmetric"}));
  if (draw.chance())
    c.attributes.set("nearest_mode",
                     draw.text_of({"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}));
  const Dims dims = draw.dims(1, 4);
  const ElementSet types = mode == "nearest" ? kAnyElement : kNumbers;
  std::int64_t count = std::ssize(dims);
  if (draw.chance(0.3)) {
    const std::vector<std::int64_t> axes = draw.axes(count);
    c.attributes.set("axes", axes);
    if (!axes.empty()) count = std::ssize(axes);
  }
  c.inputs = {draw.tensor(draw.element(types), dims), crops ? draw_region(draw, count) : Tensor{}};
  const bool empty = std::ranges::count(dims, 0) > 0;
  if (empty || draw.chance()) {
    c.inputs.push_back(draw_scales(draw, count));
    return c;
  }
  c.inputs.resize(3);
  c.inputs.push_back(list(draw.integers(count, draw.extent() == 0 ? 0 : 1, 6)));
  if (draw.chance(0.3))
    c.attributes.set("keep_aspect_ratio_policy",
                     draw.text_of({"stretch", "not_larger", "not_smaller"}));
  return c;
}

Case upsample(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const bool picks = draw.chance();
  if (!picks || draw.chance()) c.attributes.set("mode", std::string(picks ? "nearest" : "linear"));
  const Dims dims = draw.dims(1, 4);
  c.inputs = {draw.tensor(draw.element(picks ? kAnyElement : kNumbers), dims),
              draw_scales(draw, std::ssize(dims))};
  return c;
}

Case grid_sample(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const std::string mode = draw.text_of({"nearest", "linear", "cubic"});
  if (mode != "linear" || draw.chance()) c.attributes.set("mode", mode);
  if (draw.chance())
    c.attributes.set("padding_mode", draw.text_of({"zeros", "border", "reflection"}));
  const std::int64_t axes = draw.integer(1, 3);
  Dims x = {draw.extent(2), draw.extent(3)};
  Dims grid = {x[0]};
  for (std::int64_t i = 0; i < axes; ++i) {
    x.push_back(draw.full_extent());
    grid.push_back(draw.extent());
  }
  grid.push_back(axes);
  c.inputs = {draw.tensor(draw.element(mode == "nearest" ? kAnyElement : kFloats), x),
              draw.tensor(draw.element(kFloats), grid)};
  return c;
}

Case affine_grid(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const std::int64_t axes = draw.integer(2, 3);
  std::vector<std::int64_t> size = {draw.extent(), draw.extent()};
  for (std::int64_t i = 0; i < axes; ++i) size.push_back(draw.extent());
  c.inputs = {draw.tensor(draw.element(def.types), {size[0], axes, axes + 1}), list(size)};
  return c;
}

}  // namespace

std::vector<Generator> sampling_generators() {
  return {
      {"AffineGrid", affine_grid},
      {"GridSample", grid_sample},
      {"Resize", resize},
      {"Upsample", upsample},
  };
}

}  // namespace braid
