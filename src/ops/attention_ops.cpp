#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "ops/attention.h"
#include "ops/call.h"
#include "ops/definitions.h"
#include "ops/shared/accumulate.h"
#include "ops/shared/broadcast.h"
#include "ops/shared/gemm_like.h"

namespace braid {
namespace {

using Numbers = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<TensorType> infer_attention(const OpCall& call) {
  const AttentionGeometry a = attention_geometry(call);
  for (std::size_t i : {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{5}})
    if (call.has(i) && !is_float_type(call.input(i).element))
      raise(ErrorKind::Model, fmt::format("input {} of Attention has type {}, expected floats", i,
                                          to_string(call.input(i))));
  const ElementType q = call.input(0).element;
  const ElementType v = call.input(2).element;
  const Dims y = a.heads_inside ? Dims{a.batch, a.q_length, a.q_heads * a.v_head_size}
                                : Dims{a.batch, a.q_heads, a.q_length, a.v_head_size};
  std::vector<TensorType> types = {{q, y},
                                   {q, {a.batch, a.kv_heads, a.length(), a.head_size}},
                                   {v, {a.batch, a.kv_heads, a.length(), a.v_head_size}},
                                   {q, {a.batch, a.q_heads, a.q_length, a.length()}}};
  types.resize(call.output_count);
  return types;
}

Work attention_work(const OpCall& call) {
  const AttentionGeometry a = attention_geometry(call);
  const double scores = static_cast<double>(a.batch) * static_cast<double>(a.q_heads) *
                        static_cast<double>(a.q_length) * static_cast<double>(a.length());
  Work work;
  work.macs = scores * static_cast<double>(a.head_size + a.v_head_size);
  work.flops = 2 * work.macs + 6 * scores;
  return work;
}

Footprint attention_footprint(const OpCall& call) {
  const AttentionGeometry a = attention_geometry(call);
  return gemm_footprint(a.q_length, a.v_head_size, checked_mul(a.batch, a.q_heads));
}

/// [batch, length, heads * size] as [batch, heads, length, size].
Numbers heads_outside(const Numbers& x, std::int64_t batch, std::int64_t heads, std::int64_t length,
                      std::int64_t size) {
  Numbers out;
  out.reserve(x.size());
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t i = 0; i < length; ++i) {
        const auto row = x.begin() + ((b * length + i) * heads + h) * size;
        out.insert(out.end(), row, row + size);
      }
  return out;
}

/// Keys or values with those of the cache before them: [batch, kv_heads, length, size].
Numbers with_past(const AttentionGeometry& a, const Tensor& given, const Tensor& past,
                  std::int64_t size) {
  Numbers fresh = numbers<double>(given);
  if (a.heads_inside) fresh = heads_outside(fresh, a.batch, a.kv_heads, a.new_length, size);
  if (!past.defined()) return fresh;
  const Numbers old = numbers<double>(past);
  Numbers out;
  out.reserve(fresh.size() + old.size());
  for (std::int64_t i = 0; i < a.batch * a.kv_heads; ++i) {
    const std::int64_t before = a.past_length * size;
    const std::int64_t after = a.new_length * size;
    out.insert(out.end(), old.begin() + i * before, old.begin() + (i + 1) * before);
    out.insert(out.end(), fresh.begin() + i * after, fresh.begin() + (i + 1) * after);
  }
  return out;
}

/// What is added to the scores: 0 or the mask's number.
class Bias {
 public:
  Bias(const AttentionGeometry& a, std::span<const Tensor> inputs) : a_(a) {
    if (inputs.size() > 3 && inputs[3].defined()) {
      masked_ = true;
      given_ = inputs[3].dims().back();
      chooses_ = inputs[3].element() == ElementType::Bool;
      mask_ = numbers<double>(inputs[3]);
      Dims full = {a.batch, a.q_heads, a.q_length, given_};
      strides_ = broadcast_strides(inputs[3].dims(), full);
      if (given_ == 1) strides_[3] = 0;
    }
    if (inputs.size() > 6 && inputs[6].defined()) valid_ = numbers<std::int64_t>(inputs[6]);
  }

  /// Nothing where a key is hidden.
  std::optional<double> at(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    const std::int64_t valid = valid_.empty() ? a_.length() : valid_[static_cast<std::size_t>(b)];
    const std::int64_t offset = valid_.empty() ? a_.past_length : valid - a_.q_length;
    const std::int64_t ahead = j - (i + offset);
    if (j >= valid || (a_.causal && ahead > 0) ||
        (a_.left_window >= 0 && -ahead > a_.left_window) ||
        (a_.right_window >= 0 && ahead > a_.right_window))
      return std::nullopt;
    if (!masked_) return 0;
    if (j >= given_) return chooses_ ? std::nullopt : std::optional(-kInfinity);
    const double mask = mask_[static_cast<std::size_t>(b * strides_[0] + h * strides_[1] +
                                                       i * strides_[2] + j * strides_[3])];
    if (!chooses_) return mask;
    return mask != 0 ? std::optional(0.0) : std::nullopt;
  }

 private:
  const AttentionGeometry& a_;
  bool masked_ = false;
  bool chooses_ = false;
  Numbers mask_;
  Dims strides_;
  std::int64_t given_ = 0;
  std::vector<std::int64_t> valid_;
};

/// Turns one row of scores into probabilities; a row that sees no key becomes zeros.
void softmax_row(Numbers& row) {
  const bool hidden = std::ranges::all_of(row, [](double x) { return x == -kInfinity; });
  const double largest = hidden ? 0 : *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (double& x : row) sum += x = hidden ? 0 : std::exp(x - largest);
  for (double& x : row) x = sum == 0 ? 0 : x / sum;
}

void write(Tensor& tensor, std::size_t at, std::span<const double> row) {
  dispatch_floats(tensor.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto to = tensor.mutable_data<T>();
    for (std::size_t i = 0; i < row.size(); ++i) to[at + i] = store<T>(row[i]);
  });
}

std::vector<Tensor> evaluate_attention(const OpCall& call, std::span<const Tensor> inputs) {
  const AttentionGeometry a = attention_geometry(call);
  const auto optional = [&](std::size_t i) { return i < inputs.size() ? inputs[i] : Tensor{}; };
  Numbers q = numbers<double>(inputs[0]);
  if (a.heads_inside) q = heads_outside(q, a.batch, a.q_heads, a.q_length, a.head_size);
  const Numbers k = with_past(a, inputs[1], optional(4), a.head_size);
  const Numbers v = with_past(a, inputs[2], optional(5), a.v_head_size);
  const Bias bias(a, inputs);
  std::vector<Tensor> outputs = uninitialised_outputs(call);
  if (outputs.size() > 1) write(outputs[1], 0, k);
  if (outputs.size() > 2) write(outputs[2], 0, v);

  const std::int64_t length = a.length();
  Numbers row(static_cast<std::size_t>(length));
  Numbers result(static_cast<std::size_t>(a.v_head_size));
  std::size_t query = 0;
  for (std::int64_t b = 0; b < a.batch; ++b)
    for (std::int64_t h = 0; h < a.q_heads; ++h)
      for (std::int64_t i = 0; i < a.q_length; ++i, ++query) {
        const std::int64_t kv = b * a.kv_heads + h / (a.q_heads / a.kv_heads);
        const double* left = q.data() + query * static_cast<std::size_t>(a.head_size);
        const auto show = [&](std::int64_t mode) {
          if (outputs.size() > 3 && a.score_mode == mode)
            write(outputs[3], query * static_cast<std::size_t>(length), row);
        };
        for (std::int64_t j = 0; j < length; ++j) {
          const double* right = k.data() + (kv * length + j) * a.head_size;
          double sum = 0;
          for (std::int64_t d = 0; d < a.head_size; ++d) sum += left[d] * right[d];
          row[static_cast<std::size_t>(j)] = sum * a.scale;
        }
        show(0);
        if (a.softcap > 0)
          for (double& x : row) x = a.softcap * std::tanh(x / a.softcap);
        show(1);
        for (std::int64_t j = 0; j < length; ++j) {
          double& score = row[static_cast<std::size_t>(j)];
          const std::optional<double> added = bias.at(b, h, i, j);
          score = added ? score + *added : -kInfinity;
        }
        show(2);
        softmax_row(row);
        show(3);
        std::fill(result.begin(), result.end(), 0);
        for (std::int64_t j = 0; j < length; ++j) {
          const double weight = row[static_cast<std::size_t>(j)];
          const double* from = v.data() + (kv * length + j) * a.v_head_size;
          for (std::int64_t d = 0; weight != 0 && d < a.v_head_size; ++d)
            result[static_cast<std::size_t>(d)] += weight * from[d];
        }
        const std::int64_t at = a.heads_inside ? (b * a.q_length + i) * a.q_heads + h
                                               : static_cast<std::int64_t>(query);
        write(outputs[0], static_cast<std::size_t>(at * a.v_head_size), result);
      }
  return outputs;
}

}  // namespace

std::vector<OpDef> attention_ops() {
  OpDef def;
  def.name = "Attention";
  def.versions = {23, 24, 25};
  def.min_inputs = 3;
  def.max_inputs = 7;
  def.max_outputs = 4;
  def.attributes = {{"is_causal", AttributeKind::Integer},
                    {"kv_num_heads", AttributeKind::Integer},
                    {"left_window_size", AttributeKind::Integer},
                    {"q_num_heads", AttributeKind::Integer},
                    {"qk_matmul_output_mode", AttributeKind::Integer},
                    {"right_window_size", AttributeKind::Integer},
                    {"scale", AttributeKind::Real},
                    {"softcap", AttributeKind::Real},
                    {"softmax_precision", AttributeKind::Integer}};
  def.special_numbers =
      "a key that is masked or has the weight 0 takes no part; ONNX Runtime "
      "multiplies its value by 0, which makes NaN of NaN and infinities, and masks "
      "with the lowest finite score";
  def.types = kFloats;
  def.infer = infer_attention;
  def.work = attention_work;
  def.footprint = attention_footprint;
  def.evaluate = evaluate_attention;
  return {def};
}

}  // namespace braid
