#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "graph/edit.h"
#include "graph/graph.h"

namespace braid {

class Expansion;

/// Thrown when a type depends on the elements of an input that are not known before the model runs.
/// Code that has the graph adds the names of the graph's inputs that decide them, so that a caller
/// who knows those can bind them.
class ValueNeeded : public Error {
 public:
  ValueNeeded(std::string message, std::size_t input)
      : Error(ErrorKind::Unsupported, std::move(message)), input_(input) {}

  std::size_t input() const { return input_; }
  const std::vector<std::string>& graph_inputs() const { return graph_inputs_; }
  void set_graph_inputs(std::vector<std::string> names) { graph_inputs_ = std::move(names); }

 private:
  std::size_t input_;
  std::vector<std::string> graph_inputs_;
};

/// One use of an operator, as its definition sees it: attributes, the types of the inputs, and the
/// elements of those inputs that are known before the model runs. The pointers live as long as the
/// caller's graph or tensors.
struct OpCall {
  std::string_view op;
  const Attributes* attributes = nullptr;
  std::vector<const TensorType*> inputs;  ///< null: absent
  std::vector<const Tensor*> known;       ///< null: not known (parallel to `inputs`)
  std::size_t output_count = 1;           ///< outputs asked for
  std::vector<TensorType> outputs;        ///< filled in after `infer`

  bool has(std::size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  /// Throws Model if the input is absent.
  const TensorType& input(std::size_t i) const;
  const Dims& dims(std::size_t i) const { return input(i).dims; }
  std::int64_t rank(std::size_t i) const { return static_cast<std::int64_t>(dims(i).size()); }
  /// The elements of an input that decides shapes. Throws Unsupported, calling it `what`, if they
  /// are not known.
  const Tensor& known_input(std::size_t i, std::string_view what) const;
  /// The same as a list of integers; the input has type i64 or i32.
  std::vector<std::int64_t> known_integers(std::size_t i, std::string_view what) const;
};

/// What a node costs at least, whatever runs it. A multiply-add counts as one mac and two flops.
struct Work {
  double flops = 0;
  double macs = 0;  ///< multiply-adds of convolutions and matrix products only
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
};

/// The launch that a node would be on a GPU.
struct Footprint {
  std::int64_t blocks = 1;
  int threads = 256;              ///< of a block
  int registers = 32;             ///< of a thread
  std::int64_t shared_bytes = 0;  ///< of a block
};

enum class AttributeKind { Integer, Real, Text, Integers, Reals, Texts, Tensor };

struct AttributeDef {
  std::string_view name;
  AttributeKind kind;
  bool required = false;
  std::int64_t integer = 0;  ///< the default of an `axis`
};

/// A set of element types.
using ElementSet = std::uint32_t;
constexpr ElementSet set_of(ElementType type) { return 1U << static_cast<unsigned>(type); }
constexpr ElementSet operator|(ElementType a, ElementType b) { return set_of(a) | set_of(b); }
constexpr ElementSet operator|(ElementSet a, ElementType b) { return a | set_of(b); }
inline constexpr ElementSet kFloats =
    ElementType::F32 | ElementType::F64 | ElementType::F16 | ElementType::BF16;
inline constexpr ElementSet kSigned =
    kFloats | ElementType::I8 | ElementType::I16 | ElementType::I32 | ElementType::I64;
inline constexpr ElementSet kNumbers =
    kSigned | ElementType::U8 | ElementType::U16 | ElementType::U32 | ElementType::U64;
inline constexpr ElementSet kIntegers = kNumbers & ~kFloats;
inline constexpr ElementSet kAnyElement = kNumbers | ElementType::Bool;

using InferFunction = std::vector<TensorType> (*)(const OpCall&);
using WorkFunction = Work (*)(const OpCall&);
using FootprintFunction = Footprint (*)(const OpCall&);
/// Computes the outputs, plainly and exactly: integers in, exact integers out. `inputs` are
/// aligned; absent ones are undefined.
using EvaluateFunction = std::vector<Tensor> (*)(const OpCall&, std::span<const Tensor> inputs);
/// The change that writes a node in plain ONNX operators; a null function if it always is one.
using ExpandFunction = GraphEdit (*)(const Graph&, NodeId);
/// Whether this node must be expanded to be written in this opset.
using NeedsExpansionFunction = bool (*)(const Node&, int opset);

/// What the outputs have to do with the elements of the inputs. Whatever is not Computed can be a
/// view (plan/view.h).
enum class Elements : std::uint8_t {
  Computed,  ///< they are something else
  Copied,    ///< output 0 has those of input 0, in the same shape
  Renamed,   ///< output 0 has those of input 0 in row-major order, in another shape
  Permuted,  ///< output 0 has those of input 0, with the axes in the order `perm`
  Joined,    ///< output 0 has those of all inputs, one behind the other along `axis`
  Parted,    ///< the outputs have those of input 0, one behind the other along `axis`
};

/// The kinds of operators that devices without a kernel for each one tell apart.
enum class OpKind : std::uint8_t { Elementwise, Movement, Window, Reduction, Softmax, RowNorm };

/// A form of an elementwise operator that a Chain (ops/chain.h) can do as one of its steps.
struct StepDef {
  std::string_view name;            ///< the operator's, unless that has several forms
  std::optional<float> alpha = {};  ///< default of the first real attribute; nothing: has none
  std::optional<float> beta = {};
  Attributes form = {};  ///< the other attributes that a node of this form has
};

/// A form of an operator that Conv, Gemm and MatMul can do to their results
/// (ops/shared/epilogue.h).
struct ActivationDef {
  std::string_view name;            ///< in their attribute `activation`
  std::string_view step;            ///< by which kernels know it
  std::optional<float> alpha = {};  ///< the default; nothing: it has no such number
  std::optional<float> beta = {};
  Attributes form = {};      ///< the other attributes that a node of this form has
  bool on_integers = false;  ///< otherwise it is for floats alone
  double (*of)(double x, float alpha, float beta) = nullptr;
};

/// An operator: facts and pure functions, in the form of the newest ONNX version (older forms are
/// translated on import and export). docs/adding-an-operator.md is the checklist.
struct OpDef {
  std::string_view name;
  std::string_view domain;    ///< empty: ONNX
  std::vector<int> versions;  ///< opsets in which ONNX changed it, oldest first; empty: ours
  std::size_t min_inputs = 1;
  std::size_t max_inputs = 1;
  std::size_t min_outputs = 1;
  std::size_t max_outputs = 1;
  std::vector<AttributeDef> attributes = {};
  ElementSet types = kAnyElement;  ///< of input `typed_input`
  std::size_t typed_input = 0;
  Elements elements = Elements::Computed;
  OpKind kind = OpKind::Elementwise;
  bool commutes = false;     ///< its two inputs may change places
  bool reads_types = false;  ///< its outputs depend on the types of its inputs alone
  /// Conv, Gemm and MatMul: it does an epilogue (ops/shared/epilogue.h) to its result.
  bool takes_epilogue = false;
  /// The axis of output 0 that the weights (input 1) and the bias (input 2) run along, from the end
  /// if negative; nothing: it has no weights.
  std::optional<int> weight_axis = {};
  /// What it makes of NaN and infinities where ONNX Runtime makes something else, and why; empty:
  /// nothing.
  std::string_view special_numbers = {};
  std::vector<StepDef> steps = {};  ///< the forms that a Chain can do; special ones first
  std::vector<ActivationDef> activations = {};  ///< likewise
  InferFunction infer = nullptr;
  WorkFunction work = nullptr;  ///< null: no arithmetic, reads its inputs and writes its outputs
  FootprintFunction footprint = nullptr;  ///< null: one thread per four output elements
  EvaluateFunction evaluate = nullptr;
  ExpandFunction expand = nullptr;
  NeedsExpansionFunction needs_expansion = nullptr;
};

inline constexpr std::size_t kVariadic = 1U << 20;

}  // namespace braid
