#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/call.h"
#include "ops/definitions.h"
#include "ops/recurrent.h"
#include "ops/shared/accumulate.h"
#include "ops/shared/gemm_like.h"

namespace braid {
namespace {

using Numbers = std::vector<double>;

std::vector<TensorType> infer_recurrent(const OpCall& call) {
  const RecurrentGeometry net = recurrent_geometry(call);
  const ElementType element = call.input(0).element;
  const Dims all = net.batch_first ? Dims{net.batch, net.steps, net.directions, net.hidden}
                                   : Dims{net.steps, net.directions, net.batch, net.hidden};
  const Dims last = net.batch_first ? Dims{net.batch, net.directions, net.hidden}
                                    : Dims{net.directions, net.batch, net.hidden};
  std::vector<TensorType> types = {{element, all}, {element, last}, {element, last}};
  types.resize(call.output_count);
  return types;
}

Work recurrent_work(const OpCall& call) {
  const RecurrentGeometry net = recurrent_geometry(call);
  const double cells = static_cast<double>(net.steps) * static_cast<double>(net.batch) *
                       static_cast<double>(net.directions) * static_cast<double>(net.hidden);
  Work work;
  work.macs = cells * static_cast<double>(net.gates) * static_cast<double>(net.inputs + net.hidden);
  work.flops = 2 * work.macs + cells * 8 * static_cast<double>(net.gates);
  return work;
}

Footprint recurrent_footprint(const OpCall& call) {
  const RecurrentGeometry net = recurrent_geometry(call);
  return gemm_footprint(net.batch, net.gates * net.hidden, net.directions);
}

/// One direction of a network: its weights, and one step of one sequence.
class Cell {
 public:
  Cell(const RecurrentGeometry& net, std::span<const Tensor> inputs, std::int64_t direction)
      : net_(net),
        hidden_(static_cast<std::size_t>(net.hidden)),
        weights_(part(inputs, 1, direction)),
        recurrence_(part(inputs, 2, direction)),
        bias_(part(inputs, 3, direction)),
        peepholes_(part(inputs, 7, direction)) {
    const std::size_t each = net.activations.size() / static_cast<std::size_t>(net.directions);
    functions_ = net.activations.data() + each * static_cast<std::size_t>(direction);
    if (bias_.empty()) bias_.assign(2 * static_cast<std::size_t>(net.gates) * hidden_, 0);
  }

  /// Replaces the state h (and c of an LSTM) by the next one.
  void step(std::span<const double> x, Numbers& h, Numbers& c) const {
    if (net_.gates == 4)
      lstm(x, h, c);
    else if (net_.gates == 3)
      gru(x, h);
    else
      rnn(x, h);
  }

 private:
  static Numbers part(std::span<const Tensor> inputs, std::size_t i, std::int64_t direction) {
    if (i >= inputs.size() || !inputs[i].defined()) return {};
    const Numbers all = numbers<double>(inputs[i]);
    const auto size = static_cast<std::ptrdiff_t>(all.size()) / inputs[i].dims()[0];
    return {all.begin() + direction * size, all.begin() + (direction + 1) * size};
  }
  static double dot(const double* row, std::span<const double> x) {
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += row[k] * x[k];
    return sum;
  }
  double from_input(std::size_t gate, std::size_t j, std::span<const double> x) const {
    const std::size_t row = gate * hidden_ + j;
    return dot(weights_.data() + row * x.size(), x) + bias_[row];
  }
  double from_state(std::size_t gate, std::size_t j, const Numbers& h) const {
    const std::size_t row = gate * hidden_ + j;
    return dot(recurrence_.data() + row * hidden_, h) +
           bias_[static_cast<std::size_t>(net_.gates) * hidden_ + row];
  }
  double activate(std::size_t function, double x) const {
    if (net_.clip) x = std::clamp<double>(x, -*net_.clip, *net_.clip);
    return functions_[function](x);
  }

  /// What a gate (in, out, forget) sees of the cell.
  double from_cell(std::size_t gate, std::size_t j, double cell) const {
    return peepholes_.empty() ? 0 : peepholes_[gate * hidden_ + j] * cell;
  }

  void rnn(std::span<const double> x, Numbers& h) const {
    Numbers next(hidden_);
    for (std::size_t j = 0; j < hidden_; ++j)
      next[j] = activate(0, from_input(0, j, x) + from_state(0, j, h));
    h = std::move(next);
  }

  void gru(std::span<const double> x, Numbers& h) const {
    Numbers update(hidden_);
    Numbers reset(hidden_);
    Numbers reset_state(hidden_);
    for (std::size_t j = 0; j < hidden_; ++j) {
      update[j] = activate(0, from_input(0, j, x) + from_state(0, j, h));
      reset[j] = activate(0, from_input(1, j, x) + from_state(1, j, h));
      reset_state[j] = reset[j] * h[j];
    }
    Numbers next(hidden_);
    for (std::size_t j = 0; j < hidden_; ++j) {
      const double state =
          net_.linear_before_reset ? reset[j] * from_state(2, j, h) : from_state(2, j, reset_state);
      const double candidate = activate(1, from_input(2, j, x) + state);
      next[j] = (1 - update[j]) * candidate + update[j] * h[j];
    }
    h = std::move(next);
  }

  void lstm(std::span<const double> x, Numbers& h, Numbers& c) const {
    enum Gate : std::size_t { kIn, kOut, kForget, kCell };
    Numbers next(hidden_);
    for (std::size_t j = 0; j < hidden_; ++j) {
      const auto sum = [&](Gate gate) { return from_input(gate, j, x) + from_state(gate, j, h); };
      const double in = activate(0, sum(kIn) + from_cell(kIn, j, c[j]));
      const double forget =
          net_.input_forget ? 1 - in : activate(0, sum(kForget) + from_cell(kForget, j, c[j]));
      const double cell = forget * c[j] + in * activate(1, sum(kCell));
      const double out = activate(0, sum(kOut) + from_cell(kOut, j, cell));
      next[j] = out * functions_[2](cell);
      c[j] = cell;
    }
    h = std::move(next);
  }

  const RecurrentGeometry& net_;
  std::size_t hidden_;
  Numbers weights_;
  Numbers recurrence_;
  Numbers bias_;
  Numbers peepholes_;
  const GateActivation* functions_;
};

template <class T>
void run(const RecurrentGeometry& net, std::span<const Tensor> inputs,
         std::vector<Tensor>& outputs) {
  const Numbers x = numbers<double>(inputs[0]);
  const auto hidden = static_cast<std::size_t>(net.hidden);
  // Where the row of a state begins, of X, or of Y.
  const auto state_at = [&](std::int64_t d, std::int64_t b) {
    return static_cast<std::size_t>(net.state_row(d, b)) * hidden;
  };
  const auto x_at = [&](std::int64_t t, std::int64_t b) {
    return static_cast<std::size_t>(net.input_row(t, b)) * static_cast<std::size_t>(net.inputs);
  };
  const auto y_at = [&](std::int64_t t, std::int64_t d, std::int64_t b) {
    return static_cast<std::size_t>(net.output_row(t, d, b)) * hidden;
  };
  const std::int32_t* lengths =
      inputs.size() > 4 && inputs[4].defined() ? inputs[4].data<std::int32_t>().data() : nullptr;
  const auto initial = [&](std::size_t i, std::size_t at) {
    Numbers state(hidden, 0);
    if (i < inputs.size() && inputs[i].defined())
      for (std::size_t j = 0; j < hidden; ++j)
        state[j] = static_cast<double>(load(inputs[i].data<T>()[at + j]));
    return state;
  };
  const auto write = [&](std::size_t output, std::size_t at, const Numbers& state) {
    if (output >= outputs.size()) return;
    const auto to = outputs[output].mutable_data<T>();
    for (std::size_t j = 0; j < hidden; ++j) to[at + j] = store<T>(state[j]);
  };
  for (std::int64_t d = 0; d < net.directions; ++d) {
    const Cell cell(net, inputs, d);
    for (std::int64_t b = 0; b < net.batch; ++b) {
      const std::int64_t length = net.length_of(b, lengths);
      Numbers h = initial(5, state_at(d, b));
      Numbers c = initial(6, state_at(d, b));
      for (std::int64_t i = 0; i < length; ++i) {
        const std::int64_t t = net.runs_backwards(d) ? length - 1 - i : i;
        cell.step({x.data() + x_at(t, b), static_cast<std::size_t>(net.inputs)}, h, c);
        write(0, y_at(t, d, b), h);
      }
      for (std::int64_t t = length; t < net.steps; ++t) write(0, y_at(t, d, b), Numbers(hidden, 0));
      write(1, state_at(d, b), h);
      write(2, state_at(d, b), c);
    }
  }
}

std::vector<Tensor> evaluate_recurrent(const OpCall& call, std::span<const Tensor> inputs) {
  const RecurrentGeometry net = recurrent_geometry(call);
  std::vector<Tensor> outputs = uninitialised_outputs(call);
  dispatch_floats(call.input(0).element,
                  [&](auto tag) { run<typename decltype(tag)::type>(net, inputs, outputs); });
  return outputs;
}

OpDef recurrent_row(std::string_view name, std::vector<int> versions, std::size_t inputs,
                    std::size_t outputs, std::vector<AttributeDef> own) {
  OpDef def;
  def.name = name;
  def.versions = std::move(versions);
  def.min_inputs = 3;
  def.max_inputs = inputs;
  def.max_outputs = outputs;
  def.attributes = std::move(own);
  def.attributes.insert(def.attributes.end(), {{"activation_alpha", AttributeKind::Reals},
                                               {"activation_beta", AttributeKind::Reals},
                                               {"activations", AttributeKind::Texts},
                                               {"clip", AttributeKind::Real},
                                               {"direction", AttributeKind::Text},
                                               {"hidden_size", AttributeKind::Integer},
                                               {"layout", AttributeKind::Integer}});
  def.special_numbers = "NaN stays NaN; ONNX Runtime's activations take it for a number";
  def.types = kFloats;
  def.infer = infer_recurrent;
  def.work = recurrent_work;
  def.footprint = recurrent_footprint;
  def.evaluate = evaluate_recurrent;
  return def;
}

}  // namespace

std::vector<OpDef> recurrent_ops() {
  return {
      recurrent_row("RNN", {1, 7, 14, 22}, 6, 2, {}),
      recurrent_row("GRU", {1, 3, 7, 14, 22}, 6, 2,
                    {{"linear_before_reset", AttributeKind::Integer}}),
      recurrent_row("LSTM", {1, 7, 14, 22}, 8, 3, {{"input_forget", AttributeKind::Integer}}),
  };
}

}  // namespace braid
