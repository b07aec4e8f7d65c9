#include "device/cpu/onednn/primitive_kernel.h"

#include <cstring>

#include <fmt/format.h>

#include "base/error.h"

namespace braid::cpu {

PrimitiveKernel::PrimitiveKernel(const OpCall& call, PrimitiveUse use) : use_(std::move(use)) {
  own_offset_ = scratch_.add(use_.desc.scratchpad_desc().get_size());
  for (const Operand& operand : use_.inputs) bind(call, operand);
  if (use_.output.given == use_.output.wanted) return;
  output_offset_ = scratch_.add(use_.output.wanted.get_size());
  output_reorder_.emplace(use_.output.wanted, use_.output.given, scratch_);
}

void PrimitiveKernel::bind(const OpCall& call, const Operand& operand) {
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

std::vector<std::size_t> PrimitiveKernel::packed_inputs() const {
  std::vector<std::size_t> packed;
  for (const BoundInput& input : inputs_)
    if (input.constant.defined()) packed.push_back(input.operand.index);
  return packed;
}

void PrimitiveKernel::make(PackedConstants& packed) {
  primitive_ = dnnl::primitive(use_.desc.get());
  for (BoundInput& input : inputs_) {
    if (input.constant.defined())
      input.constant = packed.get(input.constant, input.operand.offset, input.operand.given,
                                  input.operand.wanted);
    if (input.reorder) input.reorder->make();
  }
  if (output_reorder_) output_reorder_->make();
}

void PrimitiveKernel::run(const KernelArgs& args) const {
  auto arguments = spare_.take();
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

std::unique_ptr<SpareArguments::Arguments> PrimitiveKernel::new_arguments() const {
  auto arguments = std::make_unique<SpareArguments::Arguments>();
  for (const BoundInput& input : inputs_)
    arguments->add(input.operand.argument, input.operand.seen());
  arguments->add(use_.output.argument, use_.output.wanted);
  arguments->add(DNNL_ARG_SCRATCHPAD, use_.desc.scratchpad_desc());
  return arguments;
}

/// The bytes of an input, from the primitive's piece on.
const std::byte* PrimitiveKernel::bytes_of(const BoundInput& input, const KernelArgs& args) {
  return all_bytes_of(input, args) + input.operand.piece_offset;
}

const std::byte* PrimitiveKernel::all_bytes_of(const BoundInput& input, const KernelArgs& args) {
  if (input.constant.defined()) return input.constant.bytes().data();
  const std::byte* given = args.inputs[input.operand.index] + input.operand.offset;
  if (!input.reorder) return given;
  std::byte* reordered = args.scratch + input.scratch_offset;
  input.reorder->run(given, reordered, args.scratch);
  return reordered;
}

}  // namespace braid::cpu
