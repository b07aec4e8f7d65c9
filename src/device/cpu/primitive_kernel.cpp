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
    if (use_.output.given == use_.output.wanted) return;
    output_offset_ = scratch_.add(use_.output.wanted.get_size());
    output_reorder_.emplace(use_.output.wanted, use_.output.given, scratch_);
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
    if (output_reorder_) output_reorder_->make();
  }

  void run(const KernelArgs& args) const {
    std::unique_ptr<Arguments> arguments = spare_.take();
    if (!arguments) arguments = new_arguments();
    std::size_t at = 0;
    for (const BoundInput& input : inputs_) arguments->point(at++, bytes_of(input, args));
    std::byte* place = args.outputs[use_.output.index] + use_.output.offset;
    std::byte* result = output_reorder_ ? args.scratch + output_offset_ : place;
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
    if (output_reorder_) output_reorder_->run(result, place, args.scratch);
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
      arguments->add(input.operand.argument, input.operand.seen());
    arguments->add(use_.output.argument, use_.output.wanted);
    arguments->add(DNNL_ARG_SCRATCHPAD, use_.desc.scratchpad_desc());
    return arguments;
  }

  static const std::byte* bytes_of(const BoundInput& input, const KernelArgs& args) {
    if (input.constant.defined()) return input.constant.bytes().data() + input.operand.piece_offset;
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
  std::optional<Reorder> output_reorder_;  ///< in each call, from scratch memory
  std::int64_t output_offset_ = 0;
  dnnl::primitive primitive_;
  mutable SpareArguments spare_;
};

/// Finds cuts whose parts all run as the whole does.
class CutSearch {
 public:
  CutSearch(const OpCall& call, const UsePrimitive& use, std::string_view implementation)
      : call_(call), use_(use), implementation_(implementation) {}

  /// With as small a grain as it may have. Where that makes two parts uneven, a cut into two halves
  /// comes before it.
  void add(Cut cut) {
    const TensorType& output = call_.outputs[0];
    const std::int64_t unit = cut.grain;
    while (most_parts(output, cut) >= 2 && !works(cut)) cut.grain *= 2;
    if (most_parts(output, cut) < 2) return;
    const std::int64_t size = output.dims[static_cast<std::size_t>(cut.axis)];
    const Cut halves{cut.axis, (size + 2 * unit - 1) / (2 * unit) * unit};
    const CutRange first = cut_range(output, cut, 0, 2);
    if (first.end - first.begin > halves.grain && works(halves)) cuts_.push_back(halves);
    cuts_.push_back(cut);
  }

  const std::vector<Cut>& cuts() const { return cuts_; }
  /// The most that a part needs.
  std::int64_t scratch_bytes() const { return scratch_bytes_; }

 private:
  /// Tried on the largest and the smallest parts.
  bool works(Cut cut) {
    std::int64_t bytes = 0;
    const auto most =
        static_cast<int>(std::min<std::int64_t>(most_parts(call_.outputs[0], cut), 64));
    for (const Part& part :
         {Part{cut, 0, 2}, Part{cut, 1, 2}, Part{cut, 0, most}, Part{cut, most - 1, most}}) {
      auto of_part = use_(part);
      if (!of_part || of_part->desc.impl_info_str() != implementation_) return false;
      bytes = std::max(bytes, PrimitiveKernel(call_, std::move(*of_part)).scratch_bytes());
    }
    scratch_bytes_ = std::max(scratch_bytes_, bytes);
    return true;
  }

  const OpCall& call_;
  const UsePrimitive& use_;
  std::string_view implementation_;
  std::vector<Cut> cuts_;
  std::int64_t scratch_bytes_ = 0;
};

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
    CutSearch search(call, use, implementation);
    for (const Cut& cut : candidates) search.add(cut);
    prepared.cuts = search.cuts();
    prepared.scratch_bytes = std::max(prepared.scratch_bytes, search.scratch_bytes());
    const auto maker = std::make_shared<PrimitiveMaker>(call, std::move(use), implementation);
    prepared.make = [maker, bytes = prepared.scratch_bytes](const Part& part) {
      return (*maker)(part, bytes);
    };
    return prepared;
  });
}

}  // namespace braid::cpu
