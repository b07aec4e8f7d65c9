#include "device/cpu/onednn.h"
#include "ops/conv.h"
#include "ops/epilogue_cpu.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

using ConvDesc = dnnl::convolution_forward::primitive_desc;
using Layout = dnnl::memory::desc (*)(const Dims&);

/// [Co,Ci/groups,kernel...], or with groups [groups,Co/groups,Ci/groups,kernel...].
Dims weight_dims(const ConvGeometry& conv) {
  Dims dims;
  if (conv.groups > 1) dims.push_back(conv.groups);
  dims.push_back(conv.out_channels_of_group());
  dims.push_back(conv.in_channels_of_group());
  dims.insert(dims.end(), conv.window.kernel.begin(), conv.window.kernel.end());
  return dims;
}

/// oneDNN counts the gaps between taps.
Dims gaps(const Dims& dilations) {
  Dims result = dilations;
  for (std::int64_t& d : result) --d;
  return result;
}

std::optional<ConvDesc> describe(const OpCall& call, const ConvGeometry& conv,
                                 const Epilogue& epilogue, Layout layout) {
  const Window& w = conv.window;
  const dnnl::memory::desc bias =
      epilogue.bias ? row_major({conv.out_channels}) : dnnl::memory::desc();
  return usable([&] {
    return ConvDesc(engine(), dnnl::prop_kind::forward_inference,
                    dnnl::algorithm::convolution_direct, layout(call.dims(0)),
                    any_layout(weight_dims(conv)), bias, layout(call.outputs[0].dims), w.strides,
                    gaps(w.dilations), w.pads_begin, w.pads_end,
                    attributes_with(post_ops_of(epilogue)), true);
  });
}

std::optional<Prepared> prepare_layout(const OpCall& call, Layout layout, std::string_view suffix) {
  const ConvGeometry conv = conv_geometry(call);
  const Epilogue epilogue = read_epilogue(call);
  const auto desc = describe(call, conv, epilogue, layout);
  if (!desc) return std::nullopt;
  PrimitiveUse use;
  use.desc = *desc;
  use.inputs.push_back({DNNL_ARG_SRC, 0, row_major(call.dims(0)), desc->src_desc()});
  use.inputs.push_back({DNNL_ARG_WEIGHTS, 1, row_major(weight_dims(conv)), desc->weights_desc()});
  if (epilogue.bias)
    use.inputs.push_back({DNNL_ARG_BIAS, 2, row_major(call.dims(2)), desc->bias_desc()});
  const dnnl::memory::desc output = row_major(call.outputs[0].dims);
  use.output = {DNNL_ARG_DST, 0, output, desc->dst_desc()};
  if (epilogue.residual) use.residual = Operand{0, Epilogue::kResidualInput, output, {}};
  return prepare_primitive(call, std::move(use), suffix);
}

}  // namespace

std::optional<Prepared> prepare_conv_channels_last(const OpCall& call) {
  if (call.input(0).element != ElementType::F32) return std::nullopt;
  return prepare_layout(call, channels_last, "nhwc");
}

std::optional<Prepared> prepare_conv_row_major(const OpCall& call) {
  if (call.input(0).element != ElementType::F32) return std::nullopt;
  return prepare_layout(call, row_major, {});
}

}  // namespace braid::cpu
