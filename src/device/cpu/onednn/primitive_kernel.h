#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "device/cpu/onednn/onednn.h"
#include "device/cpu/onednn/packed_constants.h"
#include "device/cpu/onednn/reorder.h"

namespace braid::cpu {

/// Arguments of a primitive, kept for the next call: making them again would cost more than a small
/// primitive. A second call at the same time makes its own.
class SpareArguments {
 public:
  struct Arguments {
    std::vector<dnnl::memory> memories;
    std::vector<dnnl_exec_arg_t> list;

    void add(int argument, const dnnl::memory::desc& desc) {
      memories.emplace_back(desc, engine(), nullptr);
      list.push_back({argument, memories.back().get()});
    }
    void point(std::size_t i, const std::byte* bytes) {
      memories[i].set_data_handle(handle(bytes));
    }
  };

  SpareArguments() = default;
  SpareArguments(const SpareArguments&) = delete;
  SpareArguments& operator=(const SpareArguments&) = delete;
  ~SpareArguments() { delete spare_.load(); }

  std::unique_ptr<Arguments> take() { return std::unique_ptr<Arguments>(spare_.exchange(nullptr)); }
  void give_back(std::unique_ptr<Arguments> arguments) {
    delete spare_.exchange(arguments.release());
  }

 private:
  std::atomic<Arguments*> spare_ = nullptr;
};

/// A use of a primitive made runnable. What only describes it costs little; make() generates code
/// and packs constants.
///
/// The activations that primitives do take NaN for a number, and some make NaN of an infinity. All
/// do so in invalid operations, which the processor notes. After a run in which it has, the
/// primitive runs once more without its activation; where NaN goes into the activation or has come
/// out of it, our own step does it again. All other elements stay as they are, so that a part gives
/// the whole's bits.
class PrimitiveKernel {
 public:
  PrimitiveKernel(const OpCall& call, PrimitiveUse use);

  std::int64_t scratch_bytes() const { return scratch_.bytes(); }
  std::vector<std::size_t> packed_inputs() const;

  void make(PackedConstants& packed);
  /// May be called from several threads at once.
  void run(const KernelArgs& args) const;

 private:
  /// An input as the primitive sees it.
  struct BoundInput {
    Operand operand;
    std::optional<Reorder> reorder;  ///< in each call, into scratch memory
    std::int64_t scratch_offset = 0;
    Tensor constant;
  };

  void bind(const OpCall& call, const Operand& operand);
  std::unique_ptr<SpareArguments::Arguments> new_arguments() const;
  void run_once(const dnnl::primitive& primitive, const dnnl::primitive_desc_base& desc,
                SpareArguments::Arguments& arguments) const;
  void lay_residual(const KernelArgs& args, std::byte* result) const;
  void activate(float* result) const;
  void mend_activation(const KernelArgs& args, SpareArguments::Arguments& arguments,
                       float* result) const;
  const dnnl::primitive& plain() const;
  static const std::byte* bytes_of(const BoundInput& input, const KernelArgs& args);
  static const std::byte* all_bytes_of(const BoundInput& input, const KernelArgs& args);

  PrimitiveUse use_;
  ScratchLayout scratch_;
  std::int64_t own_offset_ = 0;
  std::vector<BoundInput> inputs_;
  std::optional<Reorder> output_reorder_;  // in each call, from scratch memory
  std::int64_t output_offset_ = 0;
  dnnl::primitive primitive_;
  dnnl::primitive_desc_base plain_desc_;  // without the activation
  mutable std::once_flag plain_made_;
  mutable dnnl::primitive plain_;
  mutable SpareArguments spare_;
};

}  // namespace braid::cpu
