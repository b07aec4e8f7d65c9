#include <algorithm>
#include <memory>

#include "device/cpu/kernels/part.h"
#include "device/cpu/onednn/onednn.h"
#include "device/cpu/onednn/post_ops.h"
#include "ops/conv.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

using ConvDesc = dnnl::convolution_forward::primitive_desc;

/// The dilations as oneDNN counts them: the gaps between taps.
Dims gaps(const Dims& dilations) {
  Dims result = dilations;
  for (std::int64_t& d : result) --d;
  return result;
}

/// Output channels that lie in one block of packed weights.
std::int64_t channels_packed_together(const dnnl::memory::desc& weights) {
  const auto sizes = weights.get_inner_blks();
  const auto axes = weights.get_inner_idxs();
  std::int64_t channels = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (axes[i] == 0) channels *= sizes[i];
  return channels;
}

/// What a part reads and writes: some images, some rows of one, or some channels.
struct Piece {
  Dims input;
  Dims weights;
  Dims output;
  Window window;
  std::int64_t first_input = 0;  ///< along the cut axis
  std::int64_t first_output = 0;
  std::size_t axis = 0;
};

class ConvUse {
 public:
  ConvUse(const OpCall& call, AxisOrder order, Residual residual)
      : call_(call),
        conv_(conv_geometry(call)),
        epilogue_(read_epilogue(call)),
        done_by_primitive_(epilogue_),
        order_(std::move(order)),
        residual_(residual) {
    auto desc = describe(*piece({}), any_layout(weight_dims()), epilogue_);
    if (desc && epilogue_.activation != nullptr && activates_quietly(desc->impl_info_str())) {
      done_by_primitive_ = epilogue_.plain();
      desc = describe(*piece({}), any_layout(weight_dims()), done_by_primitive_);
    }
    if (desc) weights_ = desc->weights_desc();
  }

  /// The ways to cut, the better one first. None is along the last axis: primitives add in another
  /// order at the ends of a row.
  std::vector<CutCandidate> cuts() const {
    if (conv_.batch > 1) return {{{.axis = 0}, Fewer::Products}};
    if (order_.empty()) return {};
    std::vector<CutCandidate> cuts;
    if (conv_.window.axes() > 1 && conv_.window.output[0] > 1)
      cuts.push_back({{.axis = 2}, Fewer::Rows});
    if (weights_ && conv_.groups == 1)
      cuts.push_back({{.axis = 1, .grain = channels_packed_together(*weights_)}, Fewer::Channels});
    if (prefers_channels()) std::reverse(cuts.begin(), cuts.end());
    return cuts;
  }

  std::optional<PrimitiveUse> operator()(const Part& part) const {
    const auto p = piece(part);
    if (!weights_ || !p) return std::nullopt;
    const bool by_channels = p->axis == 1;
    if (by_channels && epilogue_.residual && residual_ == Residual::Sum) return std::nullopt;
    const auto desc =
        describe(*p, by_channels ? any_layout(p->weights) : *weights_, done_by_primitive_);
    if (!desc) return std::nullopt;
    const auto offset = [&](const Dims& dims, std::int64_t first) {
      return first * strides_in(dims, order_)[p->axis] * std::int64_t{sizeof(float)};
    };
    PrimitiveUse use;
    use.desc = *desc;
    use.inputs.push_back({DNNL_ARG_SRC, 0, desc->src_desc(), desc->src_desc(),
                          offset(call_.dims(0), p->first_input)});
    use.inputs.push_back(weights_of(*p, desc->weights_desc()));
    if (epilogue_.bias)
      use.inputs.push_back({DNNL_ARG_BIAS, 2, desc->bias_desc(), desc->bias_desc(),
                            by_channels ? p->first_output * std::int64_t{sizeof(float)} : 0});
    const Dims& whole = call_.outputs[0].dims;
    use.output = {DNNL_ARG_DST, 0,
                  strided(p->output, strides_in(by_channels ? whole : p->output, order_)),
                  desc->dst_desc(), offset(whole, p->first_output)};
    if (epilogue_.residual) add_residual(use, Epilogue::kResidualInput, residual_);
    use.activation.step = activation_step(epilogue_);
    if (done_by_primitive_.activation != nullptr)
      use.activation.describe_plain = [this_use = *this, piece = *p,
                                       weights = desc->weights_desc()] {
        const auto plain = this_use.describe(piece, weights, this_use.epilogue_.plain());
        require(plain.has_value(), "a convolution can be run without its activation");
        return *plain;
      };
    return use;
  }

 private:
  /// [Co,Ci/groups,kernel...], or with groups [groups,Co/groups,Ci/groups,kernel...].
  Dims weight_dims() const {
    Dims dims;
    if (conv_.groups > 1) dims.push_back(conv_.groups);
    dims.push_back(conv_.out_channels_of_group());
    dims.push_back(conv_.in_channels_of_group());
    dims.insert(dims.end(), conv_.window.kernel.begin(), conv_.window.kernel.end());
    return dims;
  }

  /// Whether parts by channels move less: they all read the input, and copy their output and
  /// residual; parts by rows all read the weights.
  bool prefers_channels() const {
    const std::int64_t copied = element_count(call_.outputs[0]) * (epilogue_.residual ? 4 : 2);
    return element_count(call_.input(1)) > element_count(call_.input(0)) + copied;
  }

  /// The weights of a part. Parts by channels take their piece of the whole's packed weights where
  /// that is possible, else they pack their own.
  Operand weights_of(const Piece& piece, const dnnl::memory::desc& wanted) const {
    Operand weights{DNNL_ARG_WEIGHTS, 1, row_major(weight_dims()), *weights_};
    if (piece.axis != 1) return weights;
    const std::int64_t block = channels_packed_together(*weights_);
    if (wanted.get_strides() == weights_->get_strides() &&
        wanted.get_inner_blks() == weights_->get_inner_blks() &&
        wanted.get_inner_idxs() == weights_->get_inner_idxs()) {
      weights.piece = wanted;
      weights.piece_offset =
          piece.first_output / block * weights_->get_strides()[0] * std::int64_t{sizeof(float)};
      return weights;
    }
    weights.given = row_major(piece.weights);
    weights.wanted = wanted;
    weights.offset = piece.first_output * row_major(weight_dims()).get_strides()[0] *
                     std::int64_t{sizeof(float)};
    return weights;
  }

  /// The piece of a part; nothing if it would read padding only.
  std::optional<Piece> piece(const Part& part) const {
    Piece piece{call_.dims(0), weight_dims(), call_.outputs[0].dims, conv_.window};
    if (part.count == 1) return piece;
    const CutRange range = cut_range(call_.outputs[0], part.cut, part.index, part.count);
    piece.axis = static_cast<std::size_t>(part.cut.axis);
    piece.first_output = range.begin;
    piece.output[piece.axis] = range.end - range.begin;
    if (piece.axis == 1) {
      piece.weights[0] = piece.output[1];
      return piece;
    }
    if (piece.axis == 0) {
      piece.first_input = range.begin;
      piece.input[0] = range.end - range.begin;
      return piece;
    }
    Window& w = piece.window;
    const std::int64_t begin = range.begin * w.strides[0] - w.pads_begin[0];
    const std::int64_t end =
        (range.end - 1) * w.strides[0] - w.pads_begin[0] + (w.kernel[0] - 1) * w.dilations[0] + 1;
    piece.first_input = std::max<std::int64_t>(begin, 0);
    const std::int64_t last = std::min(end, w.input[0]);
    if (last <= piece.first_input) return std::nullopt;
    piece.input[2] = last - piece.first_input;
    w.pads_begin[0] = piece.first_input - begin;
    w.pads_end[0] = end - last;
    return piece;
  }

  std::optional<ConvDesc> describe(const Piece& piece, const dnnl::memory::desc& weights,
                                   const Epilogue& epilogue) const {
    const Window& w = piece.window;
    const dnnl::memory::desc bias =
        epilogue_.bias ? row_major({piece.output[1]}) : dnnl::memory::desc();
    const dnnl::memory::desc output = with_order(piece.output, order_);
    return usable([&] {
      return ConvDesc(engine(), dnnl::prop_kind::forward_inference,
                      dnnl::algorithm::convolution_direct, with_order(piece.input, order_), weights,
                      bias, output, w.strides, gaps(w.dilations), w.pads_begin, w.pads_end,
                      attributes_with(post_ops_of(epilogue, output, residual_)), true);
    });
  }

  OpCall call_;
  ConvGeometry conv_;
  Epilogue epilogue_;
  Epilogue done_by_primitive_;
  AxisOrder order_;
  Residual residual_;
  std::optional<dnnl::memory::desc> weights_;
};

std::optional<Way> prepare_in(const OpCall& call, const AxisOrder& order, Residual residual,
                              std::string_view suffix) {
  const ConvUse use(call, order, residual);
  auto way = prepare_primitive(call, use, use.cuts(), suffix);
  if (!way) return std::nullopt;
  way->input_orders = {order, {}, {}, order};
  way->output_orders = {order};
  return way;
}

}  // namespace

std::optional<Way> prepare_conv(const KernelCall& call) {
  if (call.op.input(0).element != ElementType::F32) return std::nullopt;
  const AxisOrder channels_last = channels_last_order(call.op.dims(0).size());
  if (auto way = prepare_in(call.op, channels_last, Residual::Operand, "nhwc")) return way;
  if (auto way = prepare_in(call.op, channels_last, Residual::Sum, "nhwc:sum")) return way;
  if (auto way = prepare_in(call.op, {}, Residual::Operand, "")) return way;
  return prepare_in(call.op, {}, Residual::Sum, "sum");
}

}  // namespace braid::cpu
