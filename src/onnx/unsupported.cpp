#include "onnx/unsupported.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "onnx/opsets.h"
#include "onnx/proto.h"
#include "onnx/standard_operators.h"
#include "ops/catalog.h"
#include "ops/shared/onnx_type.h"

namespace braid::onnx {
namespace {

/// Operators that are not run for one reason. A name that ends in `*` stands for all that begin so.
struct ReasonFamily {
  std::span<const std::string_view> names;
  std::string_view reason;
  std::string_view advice;
};

constexpr std::string_view kFloatModel = "take the float32 model, before it was quantised";

constexpr std::array<std::string_view, 9> kQuantised = {
    "QuantizeLinear", "DequantizeLinear", "DynamicQuantize*", "QLinear*", "ConvInteger",
    "MatMulInteger*", "MatMulNBits",      "QAttention",       "QGemm"};
constexpr std::array<std::string_view, 2> kLoops = {"Loop", "Scan"};
constexpr std::array<std::string_view, 4> kShapedByElements = {"NonZero", "NonMaxSuppression",
                                                               "Unique", "Compress"};
constexpr std::array<std::string_view, 4> kSequences = {"Sequence*", "SplitToSequence",
                                                        "ConcatFromSequence", "Optional*"};
constexpr std::array<std::string_view, 4> kTexts = {"String*", "RegexFullMatch", "TfIdfVectorizer",
                                                    "ImageDecoder"};
constexpr std::array<std::string_view, 3> kRandom = {"Random*", "Multinomial", "Bernoulli"};
constexpr std::array<std::string_view, 2> kTraining = {"NegativeLogLikelihoodLoss",
                                                       "SoftmaxCrossEntropyLoss"};

constexpr std::array kReasonFamilies = {
    ReasonFamily{kQuantised, "integer arithmetic of quantised models is not supported",
                 kFloatModel},
    ReasonFamily{
        kLoops, "loops over a graph are not supported",
        "export it with a number of rounds that is known, so that the exporter unrolls it"},
    ReasonFamily{
        kShapedByElements, "the shape of its result depends on elements",
        "cut the model before it (onnx.utils.extract_model) and do this step in the program"},
    ReasonFamily{kSequences, "sequences and optionals are not supported",
                 "export it with tensors in their place"},
    ReasonFamily{kTexts, "texts and encoded files are not supported",
                 "do this step before the model runs"},
    ReasonFamily{kRandom, "random results are not supported", "export the model for inference"},
    ReasonFamily{kTraining, "it is for training",
                 "export the model for inference, without its loss"},
};

bool stands_for(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

const ReasonFamily* family_of(std::string_view op) {
  for (const ReasonFamily& family : kReasonFamilies)
    if (std::ranges::any_of(family.names, [&](auto pattern) { return stands_for(pattern, op); }))
      return &family;
  return nullptr;
}

/// Operator sets beside ONNX's own.
struct OtherDomain {
  std::string_view prefix;
  std::string_view whose;
  std::string_view advice;
};

constexpr std::array kOtherDomains = {
    OtherDomain{
        "com.microsoft.nchwc", "ONNX Runtime wrote it for one machine",
        "take the model before ONNX Runtime optimised it, or save that with the level basic"},
    OtherDomain{
        "com.ms.internal", "ONNX Runtime wrote it for one machine",
        "take the model before ONNX Runtime optimised it, or save that with the level basic"},
    OtherDomain{"com.microsoft", "it is ONNX Runtime's own",
                "take the model before ONNX Runtime's tools fused or quantised it"},
    OtherDomain{"ai.onnx.ml", "classical machine learning is not supported", ""},
    OtherDomain{"ai.onnx.preview.training", "it is for training", "export the model for inference"},
    OtherDomain{"ai.onnx.preview", "it is a preview, which ONNX may still change", ""},
    OtherDomain{"org.pytorch", "it is PyTorch's own: the exporter had no operator of ONNX for it",
                "export again with a newer PyTorch, or to a newer opset"},
};

Unsupported of_other_domain(std::string_view domain, std::string_view op) {
  for (const OtherDomain& row : kOtherDomains) {
    if (!domain.starts_with(row.prefix)) continue;
    const ReasonFamily* family = family_of(op);
    const bool quantised = family != nullptr && family->advice == kFloatModel;
    return {std::string(row.whose), std::string(quantised ? kFloatModel : row.advice)};
  }
  return {"ONNX does not define this domain, and the model brings no function of this name",
          "export it as a function of the model, or with operators of ONNX"};
}

/// A supported operator, or an older name that import brings into the form of one.
bool is_known(std::string_view op) {
  if (op == "If" || op == "Scatter" || op == "Upsample") return true;
  const OpDef* def = find_op(op);
  return def != nullptr && def->domain.empty() && !def->versions.empty();
}

std::string inlining_advice(std::string_view op) {
  return fmt::format(
      "onnx.inliner.inline_selected_functions(model, [(\"\", \"{}\")], "
      "inline_schema_functions=True) writes it with other operators",
      op);
}

}  // namespace

std::optional<Unsupported> why_unsupported(std::string_view domain, std::string_view op,
                                           int opset) {
  if (!plain_domain(domain).empty()) return of_other_domain(domain, op);
  const StandardOperator* standard = find_standard_operator(op);
  if (standard == nullptr)
    return Unsupported{"ONNX has no operator of this name",
                       "if it is another domain's, the node has to say so"};
  if (is_known(op)) {
    if (opset == 0 || standard->since <= opset) return std::nullopt;
    return Unsupported{fmt::format("ONNX has it from opset {} on, and the model uses opset {}",
                                   standard->since, opset),
                       fmt::format("export it to opset {} or a newer one", standard->since)};
  }
  Unsupported why{"Braid does not have it", ""};
  if (const ReasonFamily* family = family_of(op))
    why = {std::string(family->reason), std::string(family->advice)};
  else if (standard->is_composite)
    why.advice = inlining_advice(op);
  return why;
}

std::optional<Unsupported> why_unsupported_type(int data_type) {
  if (element_of_onnx(data_type)) return std::nullopt;
  const std::string name = type_name(data_type);
  if (name == "STRING")
    return Unsupported{"texts are not supported", "do this step before the model runs"};
  const bool is_small = name.find("INT") != name.npos || name.starts_with("FLOAT");
  return Unsupported{is_small ? "element types below 8 bits, and 8-bit floats, are not supported"
                              : "Braid has no such element type",
                     is_small ? std::string(kFloatModel) : std::string()};
}

std::string explained(const std::optional<Unsupported>& why) {
  if (!why) return "";
  return ": " + why->reason + (why->advice.empty() ? "" : "; " + why->advice);
}

std::string type_name(int data_type) {
  if (!proto::TensorProto::DataType_IsValid(data_type)) return fmt::format("type {}", data_type);
  return proto::TensorProto::DataType_Name(static_cast<proto::TensorProto::DataType>(data_type));
}

}  // namespace braid::onnx
