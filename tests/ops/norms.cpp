#include <algorithm>

#include "ops/shared/onnx_type.h"
#include "tests/ops/generators.h"

namespace braid {
namespace {

Case concat_norm(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 2, 5);
  c.attributes.erase("training_mode");
  std::vector<Tensor> joined = {c.inputs[0]};
  Dims dims = joined[0].dims();
  std::int64_t sum = dims[1];
  for (std::int64_t i = draw.integer(0, 3); i > 0; --i) {
    dims[1] = draw.integer(0, 40);
    sum += dims[1];
    joined.push_back(draw.tensor(joined[0].element(), dims));
  }
  c.inputs.clear();
  for (int i = 0; i < 3; ++i) c.inputs.push_back(draw.tensor(joined[0].element(), {sum}));
  c.inputs.push_back(draw.tensor_between(joined[0].element(), {sum}, 1, 4));
  c.inputs.insert(c.inputs.end(), joined.begin(), joined.end());
  return c;
}

Case batch_norm(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 1, 5);
  c.attributes.erase("training_mode");
  const Dims& dims = c.inputs[0].dims();
  const Dims channels = {dims.size() > 1 ? dims[1] : 1};
  for (int i = 0; i < 3; ++i) c.inputs.push_back(draw.tensor(c.inputs[0].element(), channels));
  c.inputs.push_back(draw.tensor_between(c.inputs[0].element(), channels, 1, 4));
  return c;
}

/// InstanceNormalization and GroupNormalization.
Case group_norm(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 2, 5);
  c.attributes.erase("stash_type");
  Dims dims = c.inputs[0].dims();
  if (c.op == "GroupNormalization") {
    const std::int64_t groups = draw.integer(1, 3);
    dims[1] *= groups;
    c.attributes.set("num_groups", groups);
  }
  const ElementType element = c.inputs[0].element();
  c.inputs = {draw.tensor(element, dims), draw.tensor(element, {dims[1]}),
              draw.tensor(element, {dims[1]})};
  return c;
}

/// LayerNormalization and RMSNormalization.
Case layer_norm(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 1, 4);
  const Dims dims = c.inputs[0].dims();
  const std::int64_t axis = draw.chance(0.3) ? -1 : draw.axis(std::ssize(dims));
  c.attributes.erase("axis");
  c.attributes.erase("stash_type");
  if (axis != -1) c.attributes.set("axis", axis);
  const Dims normalised(dims.begin() + static_cast<std::ptrdiff_t>(from_front(axis, dims)),
                        dims.end());
  const auto parameter = [&] {
    return draw.tensor(c.inputs[0].element(),
                       draw.chance() ? normalised : draw.broadcasting_to(dims));
  };
  c.inputs.push_back(parameter());
  if (c.op == "RMSNormalization") return c;
  if (draw.chance()) c.inputs.push_back(parameter());
  c.outputs = draw.one_of<std::size_t>({1, 1, 2, 3});
  if (draw.chance(0.3)) c.attributes.set("stash_type", onnx_type(draw.element(kFloats)));
  return c;
}

Case lp_norm(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 1, 4);
  c.attributes = {};
  if (draw.chance()) c.attributes.set("axis", draw.axis(std::ssize(c.inputs[0].dims())));
  if (draw.chance()) c.attributes.set("p", draw.integer(1, 2));
  return c;
}

Case mean_variance_norm(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 0, 4);
  const std::int64_t rank = std::ssize(c.inputs[0].dims());
  if (rank != 4 || draw.chance()) c.attributes.set("axes", draw.axes(rank));
  return c;
}

Case lrn(Draw& draw, const OpDef& def) {
  Case c = of_rank(draw, def, 2, 4);
  c.attributes.set("size", draw.integer(1, 5));
  return c;
}

}  // namespace

std::vector<Generator> norm_generators() {
  return {
      {"BatchNormalization", batch_norm},
      {"ConcatNormalization", concat_norm},
      {"GroupNormalization", group_norm},
      {"InstanceNormalization", group_norm},
      {"LRN", lrn},
      {"LayerNormalization", layer_norm},
      {"LpNormalization", lp_norm},
      {.op = "MeanVarianceNormalization", .generate = mean_variance_norm, .takes_scalars = true},
      {"RMSNormalization", layer_norm},
  };
}

}  // namespace braid
