#include <algorithm>

#include "tests/ops/generators.h"

namespace braid {
namespace {

std::vector<std::string> draw_activations(Draw& draw, std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i)
    names.push_back(
        draw.text_of({"Relu", "Tanh", "Sigmoid", "Affine", "LeakyRelu", "ThresholdedRelu",
                      "ScaledTanh", "HardSigmoid", "Elu", "Softsign", "Softplus"}));
  return names;
}

Case recurrent(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  const bool lstm = c.op == "LSTM";
  const std::int64_t gates = lstm ? 4 : c.op == "GRU" ? 3 : 1;
  const std::int64_t functions = lstm ? 3 : c.op == "GRU" ? 2 : 1;
  const std::string direction = draw.text_of({"forward", "reverse", "bidirectional"});
  const std::int64_t directions = direction == "bidirectional" ? 2 : 1;
  const std::int64_t steps = draw.extent(3);
  const std::int64_t batch = draw.extent(3);
  const std::int64_t inputs = draw.extent(3);
  const std::int64_t hidden = draw.full_extent(3);
  const bool batch_first = c.attributes.integer("layout", 0) != 0;
  if (c.attributes.has("hidden_size")) c.attributes.set("hidden_size", hidden);
  if (direction != "forward" || draw.chance()) c.attributes.set("direction", direction);
  if (draw.chance(0.3))
    c.attributes.set("activations", draw_activations(draw, functions * directions));
  const ElementType element = draw.element(def.types);
  const auto tensor = [&](const Dims& dims) { return draw.tensor(element, dims); };
  c.inputs = {tensor(batch_first ? Dims{batch, steps, inputs} : Dims{steps, batch, inputs}),
              tensor({directions, gates * hidden, inputs}),
              tensor({directions, gates * hidden, hidden})};
  const Dims state =
      batch_first ? Dims{batch, directions, hidden} : Dims{directions, batch, hidden};
  std::vector<Tensor> optional = {tensor({directions, 2 * gates * hidden}),
                                  draw.tensor_between(ElementType::I32, {batch}, 0, steps),
                                  tensor(state)};
  if (lstm) optional.insert(optional.end(), {tensor(state), tensor({directions, 3 * hidden})});
  for (const Tensor& input : optional) c.inputs.push_back(draw.chance() ? input : Tensor{});
  while (!c.inputs.back().defined()) c.inputs.pop_back();
  c.outputs = static_cast<std::size_t>(draw.integer(1, lstm ? 3 : 2));
  return c;
}

struct AttentionDraw {
  std::int64_t batch;
  std::int64_t q_heads;
  std::int64_t kv_heads;
  std::int64_t q_length;
  std::int64_t length;
  std::int64_t past;
};

/// The last axis may be shorter than the keys: what is missing is hidden.
Tensor draw_mask(Draw& draw, const AttentionDraw& a, ElementType element) {
  Dims dims = draw.broadcasting_to({a.batch, a.q_heads, a.q_length});
  dims.push_back(draw.chance(0.7) ? a.past + a.length : draw.integer(0, a.past + a.length));
  return draw.tensor(draw.chance() ? ElementType::Bool : element, dims);
}

Case attention(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  for (const std::string_view name : {"kv_num_heads", "q_num_heads", "softmax_precision"})
    c.attributes.erase(name);
  if (c.attributes.has("qk_matmul_output_mode"))
    c.attributes.set("qk_matmul_output_mode", draw.integer(0, 3));
  for (const std::string_view side : {"left_window_size", "right_window_size"})
    if (c.attributes.has(side)) c.attributes.set(side, draw.integer(-1, 2));
  AttentionDraw a = {};
  a.batch = draw.extent(2);
  a.kv_heads = draw.full_extent(2);
  a.q_heads = a.kv_heads * draw.full_extent(2);
  a.q_length = draw.extent();
  a.length = draw.extent();
  const std::int64_t size = draw.extent();
  const std::int64_t v_size = draw.extent();
  const bool cached = draw.chance(0.3);
  if (cached) a.past = draw.extent();
  const bool heads_inside = draw.chance();
  const ElementType element = draw.element(def.types);
  const auto part = [&](std::int64_t heads, std::int64_t length, std::int64_t each) {
    return draw.tensor(element, heads_inside ? Dims{a.batch, length, heads * each}
                                             : Dims{a.batch, heads, length, each});
  };
  c.inputs = {part(a.q_heads, a.q_length, size), part(a.kv_heads, a.length, size),
              part(a.kv_heads, a.length, v_size)};
  if (heads_inside) {
    c.attributes.set("q_num_heads", a.q_heads);
    c.attributes.set("kv_num_heads", a.kv_heads);
  }
  if (draw.chance()) c.inputs.push_back(draw_mask(draw, a, element));
  if (cached) {
    c.inputs.resize(4);
    c.inputs.push_back(draw.tensor(element, {a.batch, a.kv_heads, a.past, size}));
    c.inputs.push_back(draw.tensor(element, {a.batch, a.kv_heads, a.past, v_size}));
  } else if (draw.chance(0.3)) {
    c.inputs.resize(6);
    c.inputs.push_back(draw.tensor_between(ElementType::I64, {a.batch}, 0, a.length));
  }
  c.outputs = static_cast<std::size_t>(draw.integer(1, 4));
  return c;
}

Case rotary(Draw& draw, const OpDef& def) {
  Case c = plain_case(draw, def);
  c.attributes.erase("num_heads");
  c.attributes.erase("rotary_embedding_dim");
  const std::int64_t batch = draw.extent(3);
  const std::int64_t length = draw.extent();
  const std::int64_t heads = draw.full_extent(3);
  const std::int64_t size = 2 * draw.extent();
  std::int64_t rotated = size;
  if (size > 2 && draw.chance()) {
    rotated = 2;
    c.attributes.set("rotary_embedding_dim", rotated);
  }
  const bool heads_inside = draw.chance();
  if (heads_inside) c.attributes.set("num_heads", heads);
  const ElementType element = draw.element(def.types);
  c.inputs = {draw.tensor(element, heads_inside ? Dims{batch, length, heads * size}
                                                : Dims{batch, heads, length, size})};
  const bool by_position = draw.chance();
  const std::int64_t positions = draw.full_extent(5);
  const Dims cache = by_position ? Dims{positions, rotated / 2} : Dims{batch, length, rotated / 2};
  c.inputs.push_back(draw.tensor(element, cache));
  c.inputs.push_back(draw.tensor(element, cache));
  if (by_position)
    c.inputs.push_back(draw.tensor_between(ElementType::I64, {batch, length}, 0, positions - 1));
  return c;
}

}  // namespace

std::vector<Generator> sequence_generators() {
  return {
      {"Attention", attention},
      {"GRU", recurrent},
      {"LSTM", recurrent},
      {"RNN", recurrent},
      {"RotaryEmbedding", rotary, Exactness::OnWhole},
  };
}

}  // namespace braid
