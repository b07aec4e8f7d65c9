#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "device/cpu/onednn.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kAlignment = 64;

dnnl::stream& stream() {
  thread_local dnnl::stream instance(engine());
  return instance;
}

/// Runs `body` with oneDNN's errors as ours.
template <class Body>
auto calling_onednn(Body body) {
  try {
    return body();
  } catch (const dnnl::error& error) {
    rethrow_unless_refused(error);
    raise(ErrorKind::Device, fmt::format("oneDNN: {}", error.what()));
  }
}

/// oneDNN's memory handles are not const; it writes to outputs only.
void* handle(const std::byte* bytes) { return const_cast<std::byte*>(bytes); }

/// Hands out pieces of the scratch memory.
class ScratchLayout {
 public:
  std::int64_t add(std::size_t bytes) {
    const std::int64_t offset = bytes_;
    const std::int64_t rounded =
        checked_mul(ceil_div(static_cast<std::int64_t>(bytes), kAlignment), kAlignment);
    bytes_ = checked_add(bytes_, rounded);
    return offset;
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t bytes_ = 0;
};

dnnl::reorder::primitive_desc describe_reorder(const dnnl::memory::desc& from,
                                               const dnnl::memory::desc& to) {
  return {engine(), from, engine(), to, attributes_with({})};
}

/// Brings a tensor into another layout.
class Reorder {
 public:
  Reorder(const dnnl::memory::desc& from, const dnnl::memory::desc& to, ScratchLayout& scratch)
      : from_(from), to_(to), desc_(describe_reorder(from, to)) {
    scratch_offset_ = scratch.add(desc_.scratchpad_desc().get_size());
  }

  void make() { primitive_ = dnnl::reorder(desc_); }

  void run(const std::byte* from, std::byte* to, std::byte* scratch) const {
    const dnnl::memory source(from_, engine(), handle(from));
    const dnnl::memory target(to_, engine(), to);
    const dnnl::memory pad(desc_.scratchpad_desc(), engine(), scratch + scratch_offset_);
    primitive_.execute(
        stream(), {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, target}, {DNNL_ARG_SCRATCHPAD, pad}});
  }

 private:
  dnnl::memory::desc from_;
  dnnl::memory::desc to_;
  dnnl::reorder::primitive_desc desc_;
  dnnl::primitive primitive_;
  std::int64_t scratch_offset_ = 0;
};

/// An input as the primitive sees it.
struct BoundInput {
  Operand operand;
  std::optional<Reorder> reorder;  ///< in each call, into scratch memory
  std::int64_t scratch_offset = 0;
  Tensor packed;  ///< a constant, once made in the wanted layout
};

class PrimitiveKernel {
 public:
  PrimitiveKernel(const OpCall& call, PrimitiveUse use) : use_(std::move(use)) {
    own_offset_ = scratch_.add(use_.desc.scratchpad_desc().get_size());
    for (const Operand& operand : use_.inputs) bind(call, operand);
    if (use_.output.given != use_.output.wanted) {
      output_offset_ = scratch_.add(use_.output.wanted.get_size());
      output_reorder_.emplace(use_.output.wanted, use_.output.given, scratch_);
    }
    if (use_.residual) residual_.emplace(use_.residual->given, use_.output.wanted, scratch_);
  }

  std::int64_t scratch_bytes() const { return scratch_.bytes(); }

  /// Generates code and packs constants.
  void make() {
    primitive_ = dnnl::primitive(use_.desc.get());
    for (BoundInput& input : inputs_) {
      if (input.packed.defined() && input.operand.given != input.operand.wanted) pack(input);
      if (input.reorder) input.reorder->make();
    }
    if (output_reorder_) output_reorder_->make();
    if (residual_) residual_->make();
  }

  void run(const KernelArgs& args) const {
    std::unordered_map<int, dnnl::memory> arguments;
    for (const BoundInput& input : inputs_)
      arguments.emplace(input.operand.argument, memory_of(input, args));
    std::byte* result =
        output_reorder_ ? args.scratch + output_offset_ : args.outputs[use_.output.index];
    if (residual_) residual_->run(args.inputs[use_.residual->index], result, args.scratch);
    arguments.emplace(use_.output.argument, dnnl::memory(use_.output.wanted, engine(), result));
    arguments.emplace(DNNL_ARG_SCRATCHPAD, dnnl::memory(use_.desc.scratchpad_desc(), engine(),
                                                        args.scratch + own_offset_));
    primitive_.execute(stream(), arguments);
    if (output_reorder_)
      output_reorder_->run(result, args.outputs[use_.output.index], args.scratch);
  }

 private:
  void bind(const OpCall& call, const Operand& operand) {
    BoundInput input;
    input.operand = operand;
    input.packed = operand.instead;
    if (operand.given != operand.wanted && !input.packed.defined()) {
      if (const Tensor* constant = call.known[operand.index]; constant != nullptr) {
        input.packed = *constant;
      } else {
        input.scratch_offset = scratch_.add(operand.wanted.get_size());
        input.reorder.emplace(operand.given, operand.wanted, scratch_);
      }
    }
    inputs_.push_back(std::move(input));
  }

  static void pack(BoundInput& input) {
    const Tensor plain = input.packed.aligned();
    ScratchLayout scratch;
    Reorder reorder(input.operand.given, input.operand.wanted, scratch);
    reorder.make();
    Tensor room = Tensor::uninitialised({ElementType::U8, {scratch.bytes()}});
    Tensor packed = Tensor::uninitialised(
        {ElementType::U8, {static_cast<std::int64_t>(input.operand.wanted.get_size())}});
    reorder.run(plain.bytes().data(), packed.mutable_bytes().data(), room.mutable_bytes().data());
    input.packed = packed;
  }

  dnnl::memory memory_of(const BoundInput& input, const KernelArgs& args) const {
    if (input.packed.defined())
      return {input.operand.wanted, engine(), handle(input.packed.bytes().data())};
    const std::byte* given = args.inputs[input.operand.index];
    if (!input.reorder) return {input.operand.wanted, engine(), handle(given)};
    std::byte* reordered = args.scratch + input.scratch_offset;
    input.reorder->run(given, reordered, args.scratch);
    return {input.operand.wanted, engine(), reordered};
  }

  PrimitiveUse use_;
  ScratchLayout scratch_;
  std::int64_t own_offset_ = 0;
  std::int64_t output_offset_ = 0;
  std::vector<BoundInput> inputs_;
  std::optional<Reorder> output_reorder_;
  std::optional<Reorder> residual_;
  dnnl::primitive primitive_;
};

}  // namespace

Prepared prepare_primitive(const OpCall& call, PrimitiveUse use, std::string_view suffix) {
  return calling_onednn([&] {
    Prepared prepared;
    prepared.implementation =
        fmt::format("onednn:{}{}{}", use.desc.impl_info_str(), suffix.empty() ? "" : ":", suffix);
    auto kernel = std::make_shared<PrimitiveKernel>(call, std::move(use));
    prepared.scratch_bytes = kernel->scratch_bytes();
    prepared.make = [kernel](const Part&) -> Kernel {
      calling_onednn([&] { kernel->make(); });
      return [kernel](const KernelArgs& args) { calling_onednn([&] { kernel->run(args); }); };
    };
    return prepared;
  });
}

}  // namespace braid::cpu
