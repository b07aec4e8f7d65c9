#include <string>
#include <vector>

#include <fmt/format.h>

#include "zoo/layers.h"
#include "zoo/networks.h"

// Guo et al., "DeepFM", with the layers and sizes of the example that Opara's authors publish:
//
//   field_i ─ weight ──────────────────────── sum ─┐
//   numbers ─ Gemm ────────────────────────────────┤
//   field_i ─ factors ─┬─ products of all pairs ───┼─ sum ─ Sigmoid
//                      └─ + ─ Gemm, norm, Relu ────┘
//   numbers ─ Gemm, Relu ┘     twice, then Gemm
//
// A field is an input of its own: PyTorch picks a column of all fields without a kernel.

namespace braid::zoo {
namespace {

constexpr std::int64_t kFactors = 8;
constexpr float kDeepEpsilon = 1e-5F;
// Smaller than 1, so that the sum of all terms does not saturate the sigmoid.
constexpr double kWeightDeviation = 0.1;
constexpr double kFactorDeviation = 0.12;

/// What each field says of itself: one table lookup of `width` numbers per field, side by side.
std::vector<ValueId> look_up(Layers& net, const std::string& what, std::int64_t width,
                             double deviation) {
  std::vector<ValueId> found;
  for (int i = 0; i < kFields; ++i)
    found.push_back(net.embedding(fmt::format("field_{}/{}", i, what), {100 * (i + 1), width},
                                  deviation, net.input(static_cast<std::size_t>(i))));
  return found;
}

ValueId sum_over(Layers& net, const std::string& name, ValueId x, bool keeps_axis) {
  return net.builder().add("ReduceSum", {x, net.builder().integers(name + "/axes", {1})},
                           {{"keepdims", std::int64_t{keeps_axis ? 1 : 0}}}, name);
}

ValueId first_order(Layers& net) {
  std::vector<ValueId> weights = look_up(net, "weight", 1, kWeightDeviation);
  for (int i = 0; i < kFields; ++i) {
    ValueId& weight = weights[static_cast<std::size_t>(i)];
    weight = net.flatten(fmt::format("field_{}/weight/flatten", i), weight);
  }
  const ValueId fields = sum_over(net, "linear/fields", net.concat("linear/concat", weights), true);
  const ValueId numbers = net.dense("linear/numbers", net.input(kFields), 1);
  return net.builder().add("Add", {fields, numbers}, {}, "linear/add");
}

/// The sum of the products of all pairs of fields: half of the square of the sum less the squares.
ValueId second_order(Layers& net, ValueId factors) {
  Builder& builder = net.builder();
  const ValueId sum = sum_over(net, "pairs/sum", factors, false);
  const ValueId square_of_sum = builder.add("Mul", {sum, sum}, {}, "pairs/square_of_sum");
  const ValueId squares = builder.add("Mul", {factors, factors}, {}, "pairs/squares");
  const ValueId sum_of_squares = sum_over(net, "pairs/sum_of_squares", squares, false);
  const ValueId twice = builder.add("Sub", {square_of_sum, sum_of_squares}, {}, "pairs/difference");
  const ValueId half = builder.constant("pairs/half", Tensor::scalar(0.5F));
  return sum_over(net, "pairs", builder.add("Mul", {twice, half}, {}, "pairs/halved"), true);
}

ValueId deep(Layers& net, ValueId factors) {
  ValueId x = net.flatten("deep/flatten", factors);
  const ValueId numbers = net.dense("deep/numbers/linear", net.input(kFields), net.dims(x)[1]);
  x = net.add("deep/add", x, net.relu("deep/numbers/relu", numbers));
  int number = 0;
  for (const std::int64_t width : {256, 128}) {
    const std::string name = fmt::format("deep/layer_{}", number++);
    x = net.batch_norm(name + "/bn", net.dense(name + "/linear", x, width), kDeepEpsilon);
    x = net.relu(name + "/relu", x);
  }
  return net.dense("deep/logit", x, 1);
}

}  // namespace

void deepfm(Layers& net) {
  Builder& builder = net.builder();
  const ValueId linear = first_order(net);
  const ValueId factors =
      net.concat("factors/concat", look_up(net, "factors", kFactors, kFactorDeviation));
  const ValueId shallow =
      builder.add("Add", {linear, second_order(net, factors)}, {}, "logit/shallow");
  const ValueId logit = builder.add("Add", {shallow, deep(net, factors)}, {}, "logit");
  net.graph().add_output(builder.add("Sigmoid", {logit}, {}, "probability"));
}

}  // namespace braid::zoo
