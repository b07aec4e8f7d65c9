#pragma once

#include "onnx/export_table.h"

namespace braid::onnx {

// Each takes an operator one step back towards an older form; export_table.cpp tells which
// operators and opsets. Throw Unsupported for what the older form cannot say.
void axes_to_attribute(Export& e);
void reduce_axes_to_attribute(Export& e);
void clip_bounds_to_attributes(Export& e);
void pad_all_axes(Export& e);
void pads_to_attributes(Export& e);
void slice_to_attributes(Export& e);
void top_k_to_attribute(Export& e);
void split_by_sizes(Export& e);
void split_to_attribute(Export& e);
void dropout_ratio_to_attribute(Export& e);
void dft_axis_to_attribute(Export& e);
void softmax_over_last_axis(Export& e);
void group_norm_to_instance_norm(Export& e);
void grid_sample_old_modes(Export& e);
void scatter_elements_to_scatter(Export& e);
void resize_with_empty_inputs(Export& e);
void resize_without_roi(Export& e);
void resize_to_upsample(Export& e);
void upsample_scales_to_attribute(Export& e);
void gemm_with_bias(Export& e);
void attention_without_lengths(Export& e);

}  // namespace braid::onnx
