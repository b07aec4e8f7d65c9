#include "device/cpu/onednn/primitive_kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"
#include "device/cpu/machine/invalid_operations.h"
#include "ops/shared/strided.h"

namespace braid::cpu {
namespace {

/// Elements to which a step is done at a time.
constexpr std::int64_t kTileOfResult = 1024;

/// Calls `body(first element, step, count)` for pieces of a tensor's rows.
template <class Body>
void each_tile(const dnnl::memory::desc& desc, Body body) {
  each_row(desc.get_dims(), {desc.get_strides()},
           [&](const std::int64_t* offsets, const std::int64_t* steps, std::int64_t count) {
             for (std::int64_t i = 0; i < count; i += kTileOfResult)
               body(offsets[0] + i * steps[0], steps[0], std::min(kTileOfResult, count - i));
           });
}

using Tile = std::array<float, kTileOfResult>;

void run_step(const ActivationStep& step, const Tile& from, Tile& to, std::int64_t count) {
  step.function(
      {.a = from.data(), .to = to.data(), .count = count, .alpha = step.alpha, .beta = step.beta});
}

}  // namespace

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
  if (use_.activation.describe_plain) plain_desc_ = use_.activation.describe_plain();
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
  lay_residual(args, result);
  arguments->point(at++, result);
  arguments->point(at, args.scratch + own_offset_);
  const InvalidOperations invalid;
  run_once(primitive_, use_.desc, *arguments);
  const bool mend = invalid.met();
  auto* elements = reinterpret_cast<float*>(result);
  if (use_.activation.step.function != nullptr) {
    if (!use_.activation.describe_plain)
      activate(elements);
    else if (mend)
      mend_activation(args, *arguments, elements);
  }
  spare_.give_back(std::move(arguments));
  if (output_reorder_) output_reorder_->run(result, place, args.scratch);
  if (mend && use_.mend) use_.mend(args);
}

void PrimitiveKernel::run_once(const dnnl::primitive& primitive,
                               const dnnl::primitive_desc_base& desc,
                               SpareArguments::Arguments& arguments) const {
  const dnnl_status_t status =
      dnnl_primitive_execute(primitive.get(), stream().get(),
                             static_cast<int>(arguments.list.size()), arguments.list.data());
  if (status != dnnl_success)
    raise(ErrorKind::Device, fmt::format("oneDNN could not run {} (status {})",
                                         desc.impl_info_str(), static_cast<int>(status)));
}

void PrimitiveKernel::lay_residual(const KernelArgs& args, std::byte* result) const {
  if (use_.residual)
    std::memcpy(result, args.inputs[use_.residual->index] + use_.residual->offset,
                use_.residual->given.get_size());
}

void PrimitiveKernel::activate(float* result) const {
  Tile from;
  Tile to;
  each_tile(use_.output.wanted, [&](std::int64_t first, std::int64_t step, std::int64_t count) {
    float* at = result + first;
    for (std::int64_t i = 0; i < count; ++i) from[i] = at[i * step];
    run_step(use_.activation.step, from, to, count);
    for (std::int64_t i = 0; i < count; ++i) at[i * step] = to[i];
  });
}

void PrimitiveKernel::mend_activation(const KernelArgs& args, SpareArguments::Arguments& arguments,
                                      float* result) const {
  const auto bytes = [](const dnnl::memory::desc& desc) {
    return Tensor::uninitialised({ElementType::U8, {static_cast<std::int64_t>(desc.get_size())}});
  };
  Tensor sums = bytes(use_.output.wanted);
  Tensor scratch = bytes(plain_desc_.scratchpad_desc());
  lay_residual(args, sums.mutable_bytes().data());
  const std::size_t output = inputs_.size();
  arguments.point(output, sums.bytes().data());
  SpareArguments::Arguments own;
  own.add(DNNL_ARG_SCRATCHPAD, plain_desc_.scratchpad_desc());
  own.point(0, scratch.bytes().data());
  const dnnl_exec_arg_t usual = std::exchange(arguments.list.back(), own.list[0]);
  run_once(plain(), plain_desc_, arguments);
  arguments.list.back() = usual;
  const auto* plain_result = reinterpret_cast<const float*>(sums.bytes().data());
  Tile from;
  Tile to;
  each_tile(use_.output.wanted, [&](std::int64_t first, std::int64_t step, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) from[i] = plain_result[first + i * step];
    run_step(use_.activation.step, from, to, count);
    for (std::int64_t i = 0; i < count; ++i)
      if (float& y = result[first + i * step]; std::isnan(from[i]) || std::isnan(y)) y = to[i];
  });
}

const dnnl::primitive& PrimitiveKernel::plain() const {
  std::call_once(plain_made_, [&] { plain_ = dnnl::primitive(plain_desc_.get()); });
  return plain_;
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
