#include "tests/ops/generators.h"

namespace braid {
namespace {

Case reduce(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const Dims dims = draw.dims(0, 4);
  c.inputs = {draw.tensor(draw.element(def.types), dims)};
  if (draw.chance()) c.inputs.push_back(list(draw.axes(std::ssize(dims))));
  return c;
}

/// A call along an axis that may be given by the attribute or left to the default.
Case along_axis(Draw& draw, const OpDef& def, std::int64_t default_axis) {
  Case c = plain_case(draw, def);
  const Dims dims = draw.dims(1, 4);
  const std::int64_t rank = std::ssize(dims);
  c.inputs = {draw.tensor(draw.element(def.types), dims)};
  c.attributes.erase("axis");
  if (default_axis < -rank || default_axis >= rank || draw.chance())
    c.attributes.set("axis", draw.axis(rank));
  return c;
}

Case along_last_axis(Draw& draw, const OpDef& def) { return along_axis(draw, def, -1); }

/// The axis has elements: of none there is no largest.
Case arg(Draw& draw, const OpDef& def) {
  Case c = along_axis(draw, def, 0);
  Dims dims = c.inputs[0].dims();
  std::int64_t& length = dims[from_front(c.attributes.integer("axis", 0), dims)];
  if (length == 0) length = 2;
  c.inputs = {draw.tensor(c.inputs[0].element(), dims)};
  return c;
}

Case cumulate(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const Dims dims = draw.dims(1, 4);
  c.inputs = {draw.tensor(draw.element(def.types), dims),
              draw.indices(draw.chance() ? Dims{} : Dims{1}, std::ssize(dims))};
  return c;
}

Case top_k(Draw& draw, const OpDef& def) {
  Case c = along_last_axis(draw, def);
  const Dims& dims = c.inputs[0].dims();
  const std::int64_t axis = c.attributes.integer("axis", -1);
  const std::int64_t length = dims[from_front(axis, dims)];
  c.inputs.push_back(list({draw.integer(draw.chance(0.1) || length == 0 ? 0 : 1, length)}));
  c.outputs = static_cast<std::size_t>(draw.integer(1, 2));
  return c;
}

}  // namespace

std::vector<Generator> reduction_generators() {
  using enum Exactness;
  return {
      {"ArgMax", arg, Always},
      {"ArgMin", arg, Always},
      {"CumProd", cumulate, OnWhole},
      {"CumSum", cumulate, OnWhole},
      {"Hardmax", along_last_axis, Always},
      {"LogSoftmax", along_last_axis},
      {"ReduceL1", reduce, OnWhole, true},
      {"ReduceL2", reduce, Never, true},
      {"ReduceLogSum", reduce, Never, true},
      {"ReduceLogSumExp", reduce, Never, true},
      {"ReduceMax", reduce, Always, true},
      {"ReduceMean", reduce, Never, true},
      {"ReduceMin", reduce, Always, true},
      {"ReduceProd", reduce, OnWhole, true},
      {"ReduceSum", reduce, OnWhole, true},
      {"ReduceSumSquare", reduce, OnWhole, true},
      {"Softmax", along_last_axis},
      {"TopK", top_k, Always},
  };
}

}  // namespace braid
