#include "ops/recurrent.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace braid {
namespace {

struct GateRow {
  std::string_view name;
  GateActivation::Function function;
  bool takes_alpha;
  bool takes_beta;
  float alpha;
  float beta;
};
using Function = GateActivation::Function;
constexpr std::array kGateFunctions = {
    GateRow{"relu", Function::Relu, false, false, 0, 0},
    GateRow{"tanh", Function::Tanh, false, false, 0, 0},
    GateRow{"sigmoid", Function::Sigmoid, false, false, 0, 0},
    GateRow{"affine", Function::Affine, true, true, 1, 0},
    GateRow{"leakyrelu", Function::LeakyRelu, true, false, 0.01F, 0},
    GateRow{"thresholdedrelu", Function::ThresholdedRelu, true, false, 1, 0},
    GateRow{"scaledtanh", Function::ScaledTanh, true, true, 1, 1},
    GateRow{"hardsigmoid", Function::HardSigmoid, true, true, 0.2F, 0.5F},
    GateRow{"elu", Function::Elu, true, false, 1, 0},
    GateRow{"softsign", Function::Softsign, false, false, 0, 0},
    GateRow{"softplus", Function::Softplus, false, false, 0, 0},
};

const GateRow& row_named(const OpCall& call, const std::string& name) {
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const GateRow& row : kGateFunctions)
    if (row.name == lower) return row;
  raise(ErrorKind::Model, fmt::format("{} has the unknown activation {}", call.op, quote(name)));
}

std::vector<std::string> default_activations(const OpCall& call) {
  if (call.op == "LSTM") return {"Sigmoid", "Tanh", "Tanh"};
  if (call.op == "GRU") return {"Sigmoid", "Tanh"};
  return {"Tanh"};
}

/// The activations; those that have an alpha or beta take them from the lists in order.
std::vector<GateActivation> read_activations(const OpCall& call, std::int64_t directions) {
  const std::vector<std::string> defaults = default_activations(call);
  const std::size_t wanted = defaults.size() * static_cast<std::size_t>(directions);
  std::vector<std::string> names = call.attributes->texts("activations");
  if (names.empty())
    for (std::int64_t d = 0; d < directions; ++d)
      names.insert(names.end(), defaults.begin(), defaults.end());
  // RNN's default in ONNX lists two, also for a single direction.
  if (call.op == "RNN" && names.size() == 2 && wanted == 1) names.pop_back();
  if (names.size() != wanted)
    raise(ErrorKind::Model,
          fmt::format("{} has {} activations, expected {}", call.op, names.size(), wanted));
  const auto alphas = call.attributes->reals("activation_alpha");
  const auto betas = call.attributes->reals("activation_beta");
  std::size_t next_alpha = 0;
  std::size_t next_beta = 0;
  std::vector<GateActivation> activations;
  for (const std::string& name : names) {
    const GateRow& row = row_named(call, name);
    GateActivation& activation = activations.emplace_back();
    activation = {row.function, row.alpha, row.beta};
    if (row.takes_alpha && next_alpha < alphas.size()) activation.alpha = alphas[next_alpha++];
    if (row.takes_beta && next_beta < betas.size()) activation.beta = betas[next_beta++];
  }
  return activations;
}

void check_shape(const OpCall& call, std::size_t i, const char* what, const Dims& expected) {
  if (!call.has(i) || call.dims(i) == expected) return;
  raise(ErrorKind::Model, fmt::format("input {} of {} has shape {}, expected {}", what, call.op,
                                      to_string(call.dims(i)), to_string(expected)));
}

void check_inputs(const OpCall& call, const RecurrentGeometry& net) {
  const std::int64_t d = net.directions;
  check_shape(call, 1, "W", {d, net.gates * net.hidden, net.inputs});
  check_shape(call, 2, "R", {d, net.gates * net.hidden, net.hidden});
  check_shape(call, 3, "B", {d, 2 * net.gates * net.hidden});
  check_shape(call, 4, "sequence_lens", {net.batch});
  const Dims state =
      net.batch_first ? Dims{net.batch, d, net.hidden} : Dims{d, net.batch, net.hidden};
  check_shape(call, 5, "initial_h", state);
  check_shape(call, 6, "initial_c", state);
  check_shape(call, 7, "P", {d, 3 * net.hidden});
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    const ElementType expected = i == 4 ? ElementType::I32 : call.input(0).element;
    if (call.has(i) && call.input(i).element != expected)
      raise(ErrorKind::Model, fmt::format("input {} of {} has elements of type {}, expected {}", i,
                                          call.op, name(call.input(i).element), name(expected)));
  }
}

}  // namespace

double GateActivation::operator()(double x) const {
  const double a = alpha;
  const double b = beta;
  switch (function) {
    case Function::Relu:
      return std::max(0.0, x);
    case Function::Tanh:
      return std::tanh(x);
    case Function::Sigmoid:
      return 1 / (1 + std::exp(-x));
    case Function::Affine:
      return a * x + b;
    case Function::LeakyRelu:
      return x >= 0 ? x : a * x;
    case Function::ThresholdedRelu:
      return x >= a ? x : 0;
    case Function::ScaledTanh:
      return a * std::tanh(b * x);
    case Function::HardSigmoid:
      return std::clamp(a * x + b, 0.0, 1.0);
    case Function::Elu:
      return x >= 0 ? x : a * std::expm1(x);
    case Function::Softsign:
      return x / (1 + std::fabs(x));
    case Function::Softplus:
      return std::log1p(std::exp(x));
  }
  raise(ErrorKind::Internal, "gate activation out of range");
}

std::int64_t RecurrentGeometry::length_of(std::int64_t sequence,
                                          const std::int32_t* sequence_lens) const {
  if (sequence_lens == nullptr) return steps;
  const std::int64_t length = sequence_lens[sequence];
  if (length < 0 || length > steps)
    raise(ErrorKind::Model,
          fmt::format("sequence_lens contains {}, but there are {} steps", length, steps));
  return length;
}

RecurrentGeometry recurrent_geometry(const OpCall& call) {
  RecurrentGeometry net;
  const Dims& x = call.dims(0);
  if (x.size() != 3 || call.rank(2) != 3)
    raise(ErrorKind::Model, fmt::format("{} needs inputs X and R of rank 3, got shapes {} and {}",
                                        call.op, to_string(x), to_string(call.dims(2))));
  net.batch_first = call.attributes->integer("layout", 0) != 0;
  net.steps = x[net.batch_first ? 1 : 0];
  net.batch = x[net.batch_first ? 0 : 1];
  net.inputs = x[2];
  net.hidden = call.dims(2)[2];
  net.gates = call.op == "LSTM" ? 4 : call.op == "GRU" ? 3 : 1;
  if (const std::int64_t hidden = call.attributes->integer("hidden_size", net.hidden);
      hidden != net.hidden || hidden < 1)
    raise(ErrorKind::Model, fmt::format("attribute 'hidden_size' of {} is {}, but input R has "
                                        "shape {}",
                                        call.op, hidden, to_string(call.dims(2))));
  const std::string direction = call.attributes->text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    raise(ErrorKind::Model,
          fmt::format("attribute 'direction' of {} is {}, expected forward, reverse or "
                      "bidirectional",
                      call.op, quote(direction)));
  net.directions = direction == "bidirectional" ? 2 : 1;
  net.reverse = direction == "reverse";
  net.linear_before_reset = call.attributes->integer("linear_before_reset", 0) != 0;
  net.input_forget = call.attributes->integer("input_forget", 0) != 0;
  if (call.attributes->has("clip")) net.clip = call.attributes->real("clip", 0);
  if (net.clip && !(*net.clip >= 0))
    raise(ErrorKind::Model, fmt::format("attribute 'clip' of {} is {}", call.op, *net.clip));
  net.activations = read_activations(call, net.directions);
  check_inputs(call, net);
  return net;
}

}  // namespace braid
