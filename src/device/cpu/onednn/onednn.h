#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include "device/cpu/kernels/activation_step.h"
#include "device/cpu/kernels/kernel.h"

/// The one door to oneDNN: its errors become Error here, and its headers are seen by kernels only.
namespace braid::cpu {

/// oneDNN's engine. The first call limits oneDNN to the instruction set that own kernels use
/// (device/cpu/machine/isa.h).
const dnnl::engine& engine();

/// Its version and the instruction set that it uses: "3.2.0 for AVX-512".
std::string library_name();

/// Float32 tensors: dense in an order of axes; with any strides; as the primitive likes best.
dnnl::memory::desc with_order(const Dims& dims, const AxisOrder& order);
dnnl::memory::desc row_major(const Dims& dims);
dnnl::memory::desc strided(const Dims& dims, const Dims& strides);
dnnl::memory::desc any_layout(const Dims& dims);

/// Attributes of every primitive here: scratch memory comes from the caller.
dnnl::primitive_attr attributes_with(const dnnl::post_ops& post_ops);

/// Raises Device unless the error only says that oneDNN does not do this.
void rethrow_unless_refused(const dnnl::error& error);
/// Raises Device in any case.
[[noreturn]] void raise_onednn(const dnnl::error& error);

/// The primitive that `describe` describes; nothing if oneDNN has none but its slow reference.
template <class Describe>
auto usable(Describe describe) -> std::optional<decltype(describe())> {
  try {
    auto desc = describe();
    if (!desc || std::string_view(desc.impl_info_str()).find("ref") != std::string_view::npos)
      return std::nullopt;
    return desc;
  } catch (const dnnl::error& error) {
    rethrow_unless_refused(error);
    return std::nullopt;
  }
}

/// An input or output of the node as an argument of a primitive.
struct Operand {
  int argument = 0;           ///< DNNL_ARG_…
  std::size_t index = 0;      ///< among the node's inputs, or its outputs
  dnnl::memory::desc given;   ///< as the value lies in memory, from `offset` bytes on
  dnnl::memory::desc wanted;  ///< as the primitive takes it; reordered if it differs
  std::int64_t offset = 0;
  Tensor instead = {};  ///< a constant that replaces the node's input, if defined
  /// The piece of `wanted`, from `piece_offset` bytes on, that is all the primitive sees: parts of
  /// a node share what is packed for the whole.
  std::optional<dnnl::memory::desc> piece = {};
  std::int64_t piece_offset = 0;

  const dnnl::memory::desc& seen() const { return piece ? *piece : wanted; }
};

/// The activation of a primitive's result.
struct PrimitiveActivation {
  ActivationStep step;
  /// Describes the primitive without the activation that it does itself; null if it does none, and
  /// the step follows it. Called while the graph lives.
  std::function<dnnl::primitive_desc_base()> describe_plain = {};
};

/// A primitive with its operands. Constant inputs that need another layout are reordered once, when
/// the kernel is made; others in each call, in scratch memory, as is an output that the primitive
/// gives in another layout.
struct PrimitiveUse {
  dnnl::primitive_desc_base desc;
  std::vector<Operand> inputs;
  Operand output;
  /// An input copied into the output's memory before the primitive, which adds to it. Its layout is
  /// the output's.
  std::optional<Operand> residual = {};
  PrimitiveActivation activation = {};
  /// Puts right what the primitive makes of NaN and infinities; called after a run in which the
  /// processor met an invalid operation.
  std::function<void(const KernelArgs&)> mend = {};
};

/// How a part of a node uses a primitive; nothing if it cannot be cut so. May be called as long as
/// the graph lives.
using UsePrimitive = std::function<std::optional<PrimitiveUse>(const Part&)>;

/// What a part leaves out of the whole.
enum class Fewer {
  Products,  ///< images, rows that are normalised or copied, matrices of a batch: all of each
  Rows,      ///< rows of an image or of a product
  Channels   ///< output channels
};

struct CutCandidate {
  Cut cut;
  Fewer what = Fewer::Products;
};
/// The candidates of a node whose products have nothing to do with one another.
std::vector<CutCandidate> candidates(const std::vector<Cut>& cuts);

/// Nothing if there is no use for the whole node. Of the candidates, those cuts are offered whose
/// parts run by the same implementation, with as small a grain as that allows. `suffix` tells two
/// uses of one implementation apart.
///
/// No part changes a bit. oneDNN chooses kernels and blocks by the size of what it is given, which
/// for most primitives changes nothing in the order in which a sum is added up; tests try that on
/// thousands of shapes (cuts_test.cpp), and a machine that measures a cut for the first time tries
/// it again. Where it does change the order, a node of enough work is divided once and for all into
/// pieces, each a primitive of its own: the whole runs all pieces, a part some of them.
std::optional<Way> prepare_primitive(const OpCall& call, UsePrimitive use,
                                     const std::vector<CutCandidate>& candidates = {},
                                     std::string_view suffix = {});

}  // namespace braid::cpu
