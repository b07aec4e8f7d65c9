#include "ops/einsum.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "ops/definitions.h"
#include "ops/shared/accumulate.h"
#include "ops/shared/broadcast.h"

namespace braid {
namespace {

/// A letter, or an axis under the ellipsis: kEllipsis + its distance from the last one.
using Label = int;
constexpr Label kEllipsis = 256;

struct Term {
  std::vector<Label> labels;  // kEllipsis stands for all axes under the ellipsis
};

struct Equation {
  std::vector<Term> inputs;
  Term output;
  bool explicit_output = false;
};

[[noreturn]] void reject_equation(const OpCall& call, const std::string& why) {
  raise(ErrorKind::Model,
        fmt::format("equation {} of Einsum {}", quote(call.attributes->text("equation", "")), why));
}

Equation parse_equation(const OpCall& call) {
  const std::string text = call.attributes->text("equation", "");
  Equation equation;
  equation.inputs.emplace_back();
  Term* term = &equation.inputs.back();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      term->labels.push_back(static_cast<unsigned char>(c));
    } else if (text.compare(i, 3, "...") == 0) {
      if (std::ranges::count(term->labels, kEllipsis) > 0)
        reject_equation(call, "has two ellipses in a term");
      term->labels.push_back(kEllipsis);
      i += 2;
    } else if (c == ',' && !equation.explicit_output) {
      term = &equation.inputs.emplace_back();
    } else if (text.compare(i, 2, "->") == 0 && !equation.explicit_output) {
      equation.explicit_output = true;
      term = &equation.output;
      i += 1;
    } else {
      reject_equation(
          call, fmt::format("has an unexpected {} at position {}", quote(text.substr(i, 1)), i));
    }
  }
  return equation;
}

/// The labels of each axis of an operand, the ellipsis spelled out.
std::vector<Label> axis_labels(const OpCall& call, const Term& term, std::size_t operand) {
  const auto rank = static_cast<std::size_t>(call.rank(operand));
  const bool ellipsis = std::ranges::count(term.labels, kEllipsis) > 0;
  const std::size_t letters = term.labels.size() - (ellipsis ? 1 : 0);
  if (ellipsis ? rank < letters : rank != letters)
    reject_equation(call, fmt::format("names {} axes of input {}, which has shape {}", letters,
                                      operand, to_string(call.dims(operand))));
  std::vector<Label> labels;
  for (const Label label : term.labels) {
    if (label != kEllipsis) {
      labels.push_back(label);
      continue;
    }
    for (std::size_t under = rank - letters; under-- > 0;)
      labels.push_back(kEllipsis + static_cast<Label>(under));
  }
  return labels;
}

/// The output's labels, given explicitly or by the rule: the ellipsis, then the letters that occur
/// once, in alphabetical order.
std::vector<Label> output_labels(const OpCall& call, const Equation& equation,
                                 const std::vector<std::vector<Label>>& operands) {
  std::vector<Label> all;
  for (const auto& labels : operands) all.insert(all.end(), labels.begin(), labels.end());
  const Label under = all.empty() ? 0 : std::max(0, *std::ranges::max_element(all) - kEllipsis + 1);
  std::vector<Label> ellipsis;
  for (Label k = under; k-- > 0;) ellipsis.push_back(kEllipsis + k);
  std::vector<Label> output;
  if (!equation.explicit_output) {
    output = ellipsis;
    for (Label letter = 0; letter < kEllipsis; ++letter)
      if (std::ranges::count(all, letter) == 1) output.push_back(letter);
    return output;
  }
  bool has_ellipsis = false;
  for (const Label label : equation.output.labels) {
    if (label == kEllipsis) {
      has_ellipsis = true;
      output.insert(output.end(), ellipsis.begin(), ellipsis.end());
    } else if (std::ranges::count(all, label) == 0) {
      reject_equation(
          call, fmt::format("has an output axis '{}' that no input has", static_cast<char>(label)));
    } else if (std::ranges::count(output, label) > 0) {
      reject_equation(call,
                      fmt::format("names the output axis '{}' twice", static_cast<char>(label)));
    } else {
      output.push_back(label);
    }
  }
  if (under > 0 && !has_ellipsis)
    reject_equation(call, "has an ellipsis that the output leaves out");
  return output;
}

}  // namespace

EinsumGeometry einsum_geometry(const OpCall& call) {
  const Equation equation = parse_equation(call);
  if (equation.inputs.size() != call.inputs.size())
    reject_equation(call, fmt::format("has {} terms for {} inputs", equation.inputs.size(),
                                      call.inputs.size()));
  std::vector<std::vector<Label>> operands;
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    operands.push_back(axis_labels(call, equation.inputs[i], i));

  EinsumGeometry einsum;
  std::vector<Label> order = output_labels(call, equation, operands);
  einsum.output_rank = order.size();
  for (const auto& labels : operands)
    for (const Label label : labels)
      if (std::ranges::count(order, label) == 0) order.push_back(label);
  einsum.extents.assign(order.size(), 1);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Dims own = dense_strides(call.dims(i));
    Dims& strides = einsum.strides.emplace_back(order.size(), 0);
    std::vector<std::size_t>& places = einsum.labels.emplace_back();
    for (std::size_t axis = 0; axis < operands[i].size(); ++axis) {
      const auto at =
          static_cast<std::size_t>(std::ranges::find(order, operands[i][axis]) - order.begin());
      places.push_back(at);
      const std::int64_t extent = call.dims(i)[axis];
      if (extent == 1) continue;
      if (einsum.extents[at] != 1 && einsum.extents[at] != extent)
        reject_equation(call, fmt::format("meets extents {} and {} under one label",
                                          einsum.extents[at], extent));
      einsum.extents[at] = extent;
      strides[at] += own[axis];
    }
  }
  return einsum;
}

namespace {

std::vector<TensorType> infer_einsum(const OpCall& call) {
  return {{common_element(call), einsum_geometry(call).output_dims()}};
}

Work einsum_work(const OpCall& call) {
  double steps = 1;
  for (const std::int64_t extent : einsum_geometry(call).extents)
    steps *= static_cast<double>(extent);
  const auto operands = static_cast<double>(call.inputs.size());
  return {.flops = steps * operands, .macs = operands > 1 ? steps * (operands - 1) : 0};
}

/// Walks `dims` in row-major order, keeping an offset for each operand.
template <class Body>
void walk(const Dims& dims, const std::vector<Dims>& strides, std::size_t first_label,
          std::vector<std::int64_t> offsets, const Body& body) {
  Dims at(dims.size(), 0);
  while (true) {
    body(offsets);
    std::size_t axis = dims.size();
    while (axis > 0 && at[axis - 1] + 1 == dims[axis - 1]) {
      --axis;
      for (std::size_t k = 0; k < offsets.size(); ++k)
        offsets[k] -= at[axis] * strides[k][first_label + axis];
      at[axis] = 0;
    }
    if (axis == 0) return;
    ++at[axis - 1];
    for (std::size_t k = 0; k < offsets.size(); ++k)
      offsets[k] += strides[k][first_label + axis - 1];
  }
}

template <class T>
void contract(const EinsumGeometry& einsum, std::span<const Tensor> inputs, std::span<T> result) {
  using Sum = Accumulator<T>;
  std::vector<std::span<const T>> operands;
  for (const Tensor& input : inputs) operands.push_back(input.data<T>());
  const Dims output = einsum.output_dims();
  const Dims summed(einsum.extents.begin() + static_cast<std::ptrdiff_t>(einsum.output_rank),
                    einsum.extents.end());
  const bool nothing_summed = element_count(summed) == 0;
  std::size_t at = 0;
  walk(output, einsum.strides, 0, std::vector<std::int64_t>(operands.size(), 0),
       [&](const std::vector<std::int64_t>& start) {
         Sum sum = 0;
         const auto add = [&](const std::vector<std::int64_t>& offsets) {
           Sum product = 1;
           for (std::size_t k = 0; k < operands.size(); ++k)
             product *= static_cast<Sum>(load(operands[k][static_cast<std::size_t>(offsets[k])]));
           sum += product;
         };
         if (!nothing_summed) walk(summed, einsum.strides, einsum.output_rank, start, add);
         result[at++] = store<T>(sum);
       });
}

std::vector<Tensor> evaluate_einsum(const OpCall& call, std::span<const Tensor> inputs) {
  const EinsumGeometry einsum = einsum_geometry(call);
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    contract<T>(einsum, inputs, out.mutable_data<T>());
  });
  return {out};
}

}  // namespace

std::vector<OpDef> einsum_ops() {
  OpDef def;
  def.name = "Einsum";
  def.versions = {12, 28};
  def.max_inputs = kVariadic;
  def.attributes = {{"equation", AttributeKind::Text, true}};
  def.types = kNumbers;
  def.infer = infer_einsum;
  def.work = einsum_work;
  def.evaluate = evaluate_einsum;
  return {def};
}

}  // namespace braid
