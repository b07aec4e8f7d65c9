#include "rewrite/canonical/linear.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops/shared/epilogue.h"
#include "rewrite/canonical/host.h"
#include "tensor/element.h"

namespace braid {
namespace {

std::optional<ChannelLayout> layout_of(const Graph& graph, const Node& node, ChannelAxis axis) {
  const Dims& weight = graph.value(node.inputs[1]).type.dims;
  const std::int64_t count = element_count(weight);
  if (count == 0) return std::nullopt;
  const bool is_conv = node.op == "Conv" || node.op == "ConvTranspose";
  if (is_conv && axis == ChannelAxis::Last) return std::nullopt;
  if (node.op == "Conv") return ChannelLayout{1, 1, weight[0], count / weight[0]};
  if (node.op == "ConvTranspose") {
    const std::int64_t groups = node.attributes.integer("group", 1);
    return ChannelLayout{groups, weight[0] / groups, weight[1], count / weight[0] / weight[1]};
  }
  const bool is_matrix = graph.value(node.outputs[0]).type.dims.size() == 2;
  if ((axis == ChannelAxis::Second && !is_matrix) || weight.size() != 2) return std::nullopt;
  if (node.op == "Gemm" && node.attributes.integer("transB", 0) != 0)
    return ChannelLayout{1, 1, weight[0], weight[1]};
  return ChannelLayout{1, weight[0], weight[1], 1};
}

Tensor scaled_now(const Tensor& weight, const ChannelLayout& layout,
                  const std::vector<double>& scale) {
  Tensor to = Tensor::uninitialised(weight.type());
  dispatch(weight.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::byte* in = weight.bytes().data();
    T element{};
    T* out = to.mutable_data<T>().data();
    for (std::int64_t g = 0; g < layout.groups; ++g)
      for (std::int64_t r = 0; r < layout.repeats; ++r)
        for (std::int64_t c = 0; c < layout.channels; ++c) {
          const double s = scale[static_cast<std::size_t>(g * layout.channels + c)];
          for (std::int64_t i = 0; i < layout.inner; ++i, in += sizeof element) {
            std::memcpy(&element, in, sizeof element);  // weights of a file may be unaligned
            *out++ = store<T>(static_cast<double>(load(element)) * s);
          }
        }
  });
  return to;
}

Tensor scaled(const Tensor& weight, const ChannelLayout& layout, const std::vector<double>& scale) {
  return Tensor::promised(weight.type(), [=] { return scaled_now(weight, layout, scale); });
}

/// The bias of each channel, zero where there is none; nothing if it is not a constant vector.
std::optional<std::vector<double>> bias_of(const Graph& graph, const Node& node,
                                           std::size_t channels) {
  if (!input_of(node, Epilogue::kBiasInput).valid()) return std::vector<double>(channels, 0.0);
  const Tensor* constant = constant_input(graph, node, Epilogue::kBiasInput);
  if (constant == nullptr) return std::nullopt;
  const Dims& dims = constant->dims();
  const bool one_row = dims.size() <= 1 || (dims.size() == 2 && dims[0] == 1);
  if (!one_row) return std::nullopt;
  std::vector<double> bias = doubles(*constant);
  if (bias.size() == 1) bias.assign(channels, bias[0]);
  if (bias.size() != channels) return std::nullopt;
  const double beta = node.op == "Gemm" ? node.attributes.real("beta", 1) : 1;
  for (double& x : bias) x *= beta;
  return bias;
}

bool is_linear(const Node& node) {
  if (node.op == "ConvTranspose") return true;
  return is_host(node) && !has_activation(node) &&
         !input_of(node, Epilogue::kResidualInput).valid();
}

}  // namespace

Affine Affine::slice(std::size_t from, std::size_t count) const {
  const auto part = [&](const std::vector<double>& all) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  return {part(scale), part(shift)};
}

std::optional<Affine> affine_of_norm(const Graph& graph, const Node& norm) {
  for (std::size_t i = 1; i < norm.outputs.size(); ++i)
    if (norm.outputs[i].valid()) return std::nullopt;
  if (norm.attributes.integer("training_mode", 0) != 0) return std::nullopt;
  std::vector<double> parameters[4];
  for (std::size_t i = 0; i < 4; ++i) {
    const Tensor* constant = constant_input(graph, norm, i + 1);
    if (constant == nullptr) return std::nullopt;
    parameters[i] = doubles(*constant);
  }
  const auto& [gamma, beta, mean, variance] = parameters;
  const double epsilon = norm.attributes.real("epsilon", 1e-5F);
  Affine affine;
  for (std::size_t c = 0; c < gamma.size(); ++c) {
    affine.scale.push_back(gamma[c] / std::sqrt(variance[c] + epsilon));
    affine.shift.push_back(beta[c] - mean[c] * affine.scale[c]);
    if (!std::isfinite(affine.scale[c]) || !std::isfinite(affine.shift[c])) return std::nullopt;
  }
  return affine;
}

std::vector<double> doubles(const Tensor& tensor) {
  const Tensor aligned = tensor.aligned();
  std::vector<double> list;
  dispatch(tensor.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T x : aligned.data<T>()) list.push_back(static_cast<double>(load(x)));
  });
  return list;
}

Tensor vector_of(ElementType element, const std::vector<double>& list) {
  Tensor tensor = Tensor::uninitialised({element, {static_cast<std::int64_t>(list.size())}});
  dispatch(element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::transform(list.begin(), list.end(), tensor.mutable_data<T>().begin(),
                   [](double x) { return store<T>(x); });
  });
  return tensor;
}

std::optional<Linear> linear_producer(const Graph& graph, ValueId value, ChannelAxis channels) {
  const ElementType element = graph.value(value).type.element;
  if (element != ElementType::F32 && element != ElementType::F64) return std::nullopt;
  const NodeId id = graph.value(value).producer;
  if (!has_single_use(graph, value) || !id.valid() || !is_linear(graph.node(id)))
    return std::nullopt;
  const Node& node = graph.node(id);
  if (constant_input(graph, node, 1) == nullptr) return std::nullopt;
  const auto layout = layout_of(graph, node, channels);
  if (!layout) return std::nullopt;
  auto bias = bias_of(graph, node, static_cast<std::size_t>(layout->groups * layout->channels));
  if (!bias) return std::nullopt;
  return Linear{id, *layout, std::move(*bias)};
}

std::optional<ValueId> add_folded(GraphEdit& edit, const Graph& graph, const Linear& linear,
                                  const Affine& affine, const std::string& name,
                                  Allowance& allowance) {
  Node node = copy_host(graph.node(linear.id));
  const Value& weight = graph.value(node.inputs[1]);
  if (weight.consumers.size() > 1 && !allowance.spend(byte_size(weight.type), 0))
    return std::nullopt;
  std::vector<double> bias = affine.shift;
  for (std::size_t c = 0; c < bias.size(); ++c) bias[c] += linear.bias[c] * affine.scale[c];
  const TensorType type = graph.value(graph.node(linear.id).outputs[0]).type;
  node.name = name;
  node.inputs[1] = edit.add_constant(weight.name + "/folded",
                                     scaled(weight.constant, linear.layout, affine.scale));
  node.inputs[Epilogue::kBiasInput] =
      edit.add_constant(weight.name + "/folded_bias", vector_of(type.element, bias));
  node.attributes.erase("beta");
  trim_inputs(node);
  return edit.add_node(std::move(node), {type})[0];
}

}  // namespace braid
