#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "device/cpu/onednn.h"
#include "device/cpu/packed_constants.h"
#include "device/cpu/reorder.h"
#include "plan/plan.h"

namespace braid::cpu {
namespace {

/// A primitive's arguments. The handles change from call to call; making them anew would cost more
/// than a small primitive.
struct Arguments {
  std::vector<dnnl::memory> memories;
  std::vector<dnnl_exec_arg_t> list;

  void add(int argument, const dnnl::memory::desc& desc) {
    memories.emplace_back(desc, engine(), nullptr);
    list.push_back({argument, memories.back().get()});
  }
  void point(std::size_t i, const std::byte* bytes) { memories[i].set_data_handle(handle(bytes)); }
};

/// Arguments kept for the next call. A second call at the same time makes its own.
class SpareArguments {
 public:
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

/// An input as the primitive sees it.
struct BoundInput {
  Operand operand;
  std::optional<Reorder> reorder;  ///< in each call, into scratch memory
  std::int64_t scratch_offset = 0;
  Tensor constant;
};

class PrimitiveKernel {
 public:
  PrimitiveKernel(const OpCall& call, PrimitiveUse use) : use_(std::move(use)) {
    own_offset_ = scratch_.add(use_.desc.scratchpad_desc().get_size());
    for (const Operand& operand : use_.inputs) bind(call, operand);
  }

  std::int64_t scratch_bytes() const { return scratch_.bytes(); }
  std::vector<std::size_t> packed_inputs() const {
    std::vector<std::size_t> packed;
    for (const BoundInput& input : inputs_)
      if (input.constant.defined()) packed.push_back(input.operand.index);
    return packed;
  }
  std::string_view implementation() const { return use_.desc.impl_info_str(); }

  /// Generates code and packs constants.
  void make(PackedConstants& packed) {
    primitive_ = dnnl::primitive(use_.desc.get());
    for (BoundInput& input : inputs_) {
      if (input.constant.defined())
        input.constant = packed.get(input.constant, input.operand.offset, input.operand.given,
                                    input.operand.wanted);
      if (input.reorder) input.reorder->make();
    }
  }

  void run(const KernelArgs& args) const {
    std::unique_ptr<Arguments> arguments = spare_.take();
    if (!arguments) arguments = new_arguments();
    std::size_t at = 0;
    for (const BoundInput& input : inputs_) arguments->point(at++, bytes_of(input, args));
    std::byte* result = args.outputs[use_.output.index] + use_.output.offset;
    if (use_.residual)
      std::memcpy(result, args.inputs[use_.residual->index] + use_.residual->offset,
                  use_.residual->given.get_size());
    arguments->point(at++, result);
    arguments->point(at, args.scratch + own_offset_);
    const dnnl_status_t status =
        dnnl_primitive_execute(primitive_.get(), stream().get(),
                               static_cast<int>(arguments->list.size()), arguments->list.data());
    spare_.give_back(std::move(arguments));
    if (status != dnnl_success)
      raise(ErrorKind::Device, fmt::format("oneDNN could not run {} (status {})",
                                           use_.desc.impl_info_str(), static_cast<int>(status)));
  }

 private:
  void bind(const OpCall& call, const Operand& operand) {
    BoundInput input;
    input.operand = operand;
    input.constant = operand.instead;
    if (!input.constant.defined() && operand.given != operand.wanted) {
      if (const Tensor* constant = call.known[operand.index]; constant != nullptr) {
        input.constant = *constant;
      } else {
        input.scratch_offset = scratch_.add(operand.wanted.get_size());
        input.reorder.emplace(operand.given, operand.wanted, scratch_);
      }
    }
    inputs_.push_back(std::move(input));
  }

  std::unique_ptr<Arguments> new_arguments() const {
    auto arguments = std::make_unique<Arguments>();
    for (const BoundInput& input : inputs_)
      arguments->add(input.operand.argument, input.operand.wanted);
    arguments->add(use_.output.argument, use_.output.wanted);
    arguments->add(DNNL_ARG_SCRATCHPAD, use_.desc.scratchpad_desc());
    return arguments;
  }

  static const std::byte* bytes_of(const BoundInput& input, const KernelArgs& args) {
    if (input.constant.defined()) return input.constant.bytes().data();
    const std::byte* given = args.inputs[input.operand.index] + input.operand.offset;
    if (!input.reorder) return given;
    std::byte* reordered = args.scratch + input.scratch_offset;
    input.reorder->run(given, reordered, args.scratch);
    return reordered;
  }

  PrimitiveUse use_;
  ScratchLayout scratch_;
  std::int64_t own_offset_ = 0;
  std::vector<BoundInput> inputs_;
  dnnl::primitive primitive_;
  mutable SpareArguments spare_;
};

/// The most scratch that a part needs; nothing if the largest and the smallest parts do not run as
/// the whole does.
std::optional<std::int64_t> scratch_when_cut(const OpCall& call, const UsePrimitive& use, Cut cut,
                                             std::string_view implementation) {
  std::int64_t bytes = 0;
  const auto most = static_cast<int>(std::min<std::int64_t>(most_parts(call.outputs[0], cut), 64));
  for (const Part& part :
       {Part{cut, 0, 2}, Part{cut, 1, 2}, Part{cut, 0, most}, Part{cut, most - 1, most}}) {
    auto of_part = use(part);
    if (!of_part || of_part->desc.impl_info_str() != implementation) return std::nullopt;
    bytes = std::max(bytes, PrimitiveKernel(call, std::move(*of_part)).scratch_bytes());
  }
  return bytes;
}

/// Called while the graph lives, for the whole node or for its parts.
class PrimitiveMaker {
 public:
  PrimitiveMaker(OpCall call, UsePrimitive use, std::string implementation)
      : call_(std::move(call)), use_(std::move(use)), implementation_(std::move(implementation)) {}

  Kernel operator()(const Part& part, std::int64_t scratch_bytes) {
    return calling_onednn([&]() -> Kernel {
      auto use = use_(part);
      if (!use || use->desc.impl_info_str() != implementation_)
        raise(ErrorKind::Device, fmt::format("oneDNN does not run {} cut into {} parts as it runs "
                                             "the whole: plan with fewer",
                                             call_.op, part.count));
      const auto kernel = std::make_shared<PrimitiveKernel>(call_, std::move(*use));
      require(kernel->scratch_bytes() <= scratch_bytes,
              "a part needs no more scratch than the largest");
      kernel->make(packed_);
      return [kernel](const KernelArgs& args) { calling_onednn([&] { kernel->run(args); }); };
    });
  }

 private:
  OpCall call_;
  UsePrimitive use_;
  std::string implementation_;
  PackedConstants packed_;
};

}  // namespace

std::optional<Prepared> prepare_primitive(const OpCall& call, UsePrimitive use,
                                          const std::vector<Cut>& candidates,
                                          std::string_view suffix) {
  return calling_onednn([&]() -> std::optional<Prepared> {
    auto whole = use({});
    if (!whole) return std::nullopt;
    const std::string implementation = whole->desc.impl_info_str();
    Prepared prepared;
    prepared.implementation =
        fmt::format("onednn:{}{}{}", implementation, suffix.empty() ? "" : ":", suffix);
    const PrimitiveKernel kernel(call, std::move(*whole));
    prepared.scratch_bytes = kernel.scratch_bytes();
    prepared.packed_inputs = kernel.packed_inputs();
    for (Cut cut : candidates)  // small parts may need another implementation
      for (; most_parts(call.outputs[0], cut) >= 2; cut.grain *= 2)
        if (const auto scratch = scratch_when_cut(call, use, cut, implementation)) {
          prepared.cuts.push_back(cut);
          prepared.scratch_bytes = std::max(prepared.scratch_bytes, *scratch);
          break;
        }
    const auto maker = std::make_shared<PrimitiveMaker>(call, std::move(use), implementation);
    prepared.make = [maker, bytes = prepared.scratch_bytes](const Part& part) {
      return (*maker)(part, bytes);
    };
    return prepared;
  });
}

}  // namespace braid::cpu
