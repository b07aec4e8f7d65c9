#pragma once

#include "onnx/import_table.h"

namespace braid::onnx {

// Each brings one older form of an operator one step nearer to the newest; import_table.cpp tells
// which operators and opsets. Throw Unsupported for what the newest form cannot say.
void axes_to_input(Translation& t);
void clip_bounds_to_inputs(Translation& t);
void pads_to_inputs(Translation& t);
void slice_to_inputs(Translation& t);
void top_k_to_input(Translation& t);
void split_to_input(Translation& t);
void split_into_equal_parts(Translation& t);
void dropout_ratio_to_input(Translation& t);
void dft_axis_to_input(Translation& t);
void drop_spatial(Translation& t);
void require_inference_batch_norm(Translation& t);
void softmax_over_trailing_axes(Translation& t);
void group_norm_per_channel(Translation& t);
void grid_sample_modes(Translation& t);
void scatter_to_scatter_elements(Translation& t);
void upsample_scales_to_input(Translation& t);
void upsample_to_resize(Translation& t);
void resize_without_roi(Translation& t);
void resize_empty_inputs(Translation& t);

}  // namespace braid::onnx
