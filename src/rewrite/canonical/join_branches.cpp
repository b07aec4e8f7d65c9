#include "rewrite/canonical/host.h"
#include "rewrite/canonical/linear.h"
#include "rewrite/canonical/rules.h"
#include "rewrite/convolution.h"
#include "rewrite/enlarge.h"
#include "rewrite/in_place.h"
#include "rewrite/recipe.h"

namespace braid {
namespace {

/// What is added to another: a convolution of a value, or a normalisation of it.
struct Branch {
  std::optional<Convolution> conv;
  std::optional<Affine> norm;
  ValueId input;
};

/// The operator that makes a value for this one use, as a branch; nothing if it is none.
std::optional<Branch> branch(const Graph& graph, ValueId value) {
  if (const NodeId host = open_host(graph, value); is_fixed_convolution(graph, host)) {
    auto conv = convolution(graph, host);
    if (conv->residual.valid()) return std::nullopt;
    const ValueId input = conv->input;
    return Branch{.conv = std::move(conv), .norm = {}, .input = input};
  }
  const NodeId id = made_by(graph, value, "BatchNormalization");
  if (!id.valid() || !has_single_use(graph, value)) return std::nullopt;
  const Node& node = graph.node(id);
  auto norm = affine_of_norm(graph, node);
  if (has_activation(node) || !norm) return std::nullopt;
  return Branch{.conv = {}, .norm = std::move(norm), .input = node.inputs[0]};
}

/// The window of one convolution that does what both do; nothing if it would be larger than the
/// larger one.
std::optional<Window> joined_window(const Branch& a, const Branch& b) {
  if (!a.conv || !b.conv) {
    const Window& window = (a.conv ? a : b).conv->geometry.window;
    return tap_in_place(window) ? std::optional(window) : std::nullopt;
  }
  const ConvGeometry& first = a.conv->geometry;
  const ConvGeometry& second = b.conv->geometry;
  if (first.groups != second.groups) return std::nullopt;
  const auto window = common_window(first.window, second.window);
  if (!window || (window->kernel != first.window.kernel && window->kernel != second.window.kernel))
    return std::nullopt;
  return window;
}

struct Branches {
  Branch a;
  Branch b;
  Window window;
};

std::optional<Branches> branches_at(const Graph& graph, const Node& node) {
  const TensorType& type = graph.value(node.outputs[0]).type;
  if (type.element != ElementType::F32 && type.element != ElementType::F64) return std::nullopt;
  for (const ValueId input : node.inputs)
    if (graph.value(input).type != type) return std::nullopt;
  auto a = branch(graph, node.inputs[0]);
  auto b = a ? branch(graph, node.inputs[1]) : std::nullopt;
  if (!b || a->input != b->input || (!a->conv && !b->conv)) return std::nullopt;
  const auto window = joined_window(*a, *b);
  if (!window) return std::nullopt;
  return Branches{std::move(*a), std::move(*b), *window};
}

std::vector<Match> find_branches(const Site& site) {
  if (!branches_at(site.graph, site.node())) return {};
  return {{.anchor = site.anchor}};
}

/// The weights of a branch as those of a convolution like `like` with this window.
Tensor weights_of(const Branch& branch, const Convolution& like, const Window& window) {
  if (branch.conv) return enlarged(branch.conv->weights, window.kernel);
  return handing_on(like.weights.type(), like.geometry.groups, *tap_in_place(window),
                    branch.norm->scale);
}

bool has_bias(const Branch& branch) { return branch.norm || branch.conv->bias.defined(); }
Tensor bias_of(const Branch& branch, ElementType element) {
  return branch.conv ? branch.conv->bias_or_zeros() : vector_of(element, branch.norm->shift);
}

bool join(const Graph& graph, const Match& match, Allowance& allowance, GraphEdit& edit) {
  const Node& node = graph.node(match.anchor);
  const auto [a, b, window] = *branches_at(graph, node);
  const Convolution& like = a.conv ? *a.conv : *b.conv;
  const ElementType element = like.weights.element();
  const double sign = node.op == "Sub" ? -1 : 1;
  EditBuilder build(graph, allowance, edit);
  ConvChange change{
      .weights = sum(weights_of(a, like, window), scaled(weights_of(b, like, window), sign)),
      .window = window};
  if (has_bias(a) || has_bias(b))
    change.bias = sum(bias_of(a, element), scaled(bias_of(b, element), sign));
  build.replace(node.outputs[0],
                add_convolution(build, graph, like, change, name_of(graph, match.anchor)));
  return build.affordable();
}

}  // namespace

Rule join_branches() {
  return {"join-branches",
          "add the weights of convolutions and BatchNormalizations of one value that are added",
          {"Add", "Sub"},
          find_branches,
          join};
}

}  // namespace braid
