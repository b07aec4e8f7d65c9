#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/layout.h"
#include "ops/op.h"

namespace braid::cpu {

/// What a kernel reads and writes in one call: tensors, aligned to their elements, in the orders
/// that its Way says. They are dense, but for what `pitch` says.
/// No output overlaps an input, another output or the scratch.
struct KernelArgs {
  std::span<const std::byte* const> inputs;  ///< null: absent
  std::span<std::byte* const> outputs;       ///< null: not asked for
  std::byte* scratch = nullptr;              ///< `scratch_bytes`, aligned to 64
  /// Elements from a row of the first output to the next; a row is the last axis in memory. 0: rows
  /// follow one another. Only kernels that take a pitch get another value.
  std::int64_t pitch = 0;

  std::int64_t pitch_of_rows(std::int64_t row_elements) const {
    return pitch != 0 ? pitch : row_elements;
  }

  template <class T>
  const T* in(std::size_t i) const {
    return reinterpret_cast<const T*>(inputs[i]);
  }
  template <class T>
  T* out(std::size_t i) const {
    return reinterpret_cast<T*>(outputs[i]);
  }
};

/// What one step runs of its node: all of it, or one of `count` ranges (cut_range(), plan/plan.h)
/// of its first output.
struct Part {
  Cut cut;
  int index = 0;
  int count = 1;
};

/// One node, or a part of it, made runnable. Its arguments are those of the whole node; a part
/// writes its own range only. It owns what it needs (packed weights, primitives), is called from
/// several threads at once, and gives the same bits for the same inputs every time.
using Kernel = std::function<void(const KernelArgs&)>;

/// How a node would be run: what `lower` writes into the graph, and how `compile` gets the kernel.
struct Way {
  std::string implementation;
  std::int64_t scratch_bytes = 0;
  std::vector<Cut> cuts = {};
  /// The orders in which it takes its inputs and gives its outputs; where none is said, row-major.
  std::vector<AxisOrder> input_orders = {};
  std::vector<AxisOrder> output_orders = {};
  /// Constant inputs that the kernel has packed and does not read when it runs.
  std::vector<std::size_t> packed_inputs = {};
  bool takes_pitch = false;  ///< rows of the first output may lie apart (KernelArgs::pitch)
  /// Packs weights and generates code; the kernels of several parts share what they can. Called
  /// while the graph lives; the kernel may outlive it. A part's cut is one of `cuts`.
  std::function<Kernel(const Part&)> make;
};

/// Asks for every implementation, whether it would be the fastest or not.
inline constexpr std::string_view kEveryImplementation = "*";

/// A use of an operator and how its values lie in memory.
struct KernelCall {
  OpCall op;
  std::vector<AxisOrder> inputs;  ///< as they are; another order costs a reorder
  AxisOrder output;               ///< as the readers of the first output would like it
  /// The first output is joined to others; a kernel that takes a pitch saves a copy of it.
  bool joined = false;
  /// The only implementation that is asked for, whether it would be the fastest or not; empty: the
  /// fastest.
  std::string_view implementation = {};

  bool asks_for(std::string_view name) const {
    return implementation == name || implementation == kEveryImplementation;
  }
};

/// Nothing if this way does not suit the call. Every input and output of the call has elements.
/// Constant inputs are in `OpCall::known`; their bytes may be unaligned there, but a kernel gets
/// them aligned.
using PrepareFunction = std::optional<Way> (*)(const KernelCall&);
/// The same for a kernel that takes and gives row-major values.
using PrepareRowMajor = std::optional<Way> (*)(const OpCall&);

}  // namespace braid::cpu
