#pragma once

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device/cpu/cpu_device.h"
#include "device/cpu/kernels.h"
#include "device/cpu/lane_settings.h"
#include "ops/call.h"
#include "ops/catalog.h"
#include "schedule/schedulers.h"

/// For tests of kernels: run one operator both ways, or a graph through every stage.

namespace braid::cpu {

enum class Numbers { Real, SmallIntegers };

inline Tensor random_tensor(Dims dims, std::mt19937& random, Numbers numbers = Numbers::Real) {
  Tensor tensor = Tensor::uninitialised({ElementType::F32, std::move(dims)});
  std::uniform_real_distribution<float> real(-1, 1);
  std::uniform_int_distribution<int> integer(-3, 3);
  for (float& x : tensor.mutable_data<float>())
    x = numbers == Numbers::Real ? real(random) : static_cast<float>(integer(random));
  return tensor;
}

/// Empty if `got` equals `expected` within `tolerance` of its largest element, or of 1 if that is
/// larger; else what differs.
inline std::string difference(const Tensor& got, const Tensor& expected, double tolerance) {
  if (got.type() != expected.type())
    return "got " + to_string(got.type()) + ", expected " + to_string(expected.type());
  if (got.element() != ElementType::F32) return identical(got, expected) ? "" : "elements differ";
  double largest = 1;
  for (const float x : expected.data<float>())
    if (std::isfinite(x)) largest = std::max(largest, std::fabs(static_cast<double>(x)));
  for (std::size_t i = 0; i < got.data<float>().size(); ++i) {
    const double a = got.data<float>()[i];
    const double b = expected.data<float>()[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (!(std::fabs(a - b) <= tolerance * largest))
      return "element " + std::to_string(i) + " is " + std::to_string(a) + ", expected " +
             std::to_string(b);
  }
  return "";
}

/// One use of an operator with its tensors. Inputs marked constant may be packed beforehand.
struct Case {
  std::string op;
  Attributes attributes = {};
  std::vector<Tensor> inputs;
  std::vector<bool> constant = {};  ///< shorter: not constant
  std::size_t outputs = 1;
};

struct KernelResult {
  std::string implementation;
  std::vector<Tensor> outputs;
};

/// Bytes that must be as they were after a kernel ran beside them.
inline constexpr std::size_t kFence = 256;

inline KernelResult run_kernel(const Case& c) {
  const LaneSettings settings;
  OpCall call;
  call.op = c.op;
  call.attributes = &c.attributes;
  call.output_count = c.outputs;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const Tensor& input = c.inputs[i];
    const bool known = input.defined() && i < c.constant.size() && c.constant[i];
    call.inputs.push_back(input.defined() ? &input.type() : nullptr);
    call.known.push_back(known ? &input : nullptr);
  }
  OpCall all_known = call;
  for (std::size_t i = 0; i < c.inputs.size(); ++i)
    all_known.known[i] = c.inputs[i].defined() ? &c.inputs[i] : nullptr;
  call.outputs = infer(op_def(c.op), all_known);
  Prepared prepared = prepare(call);
  KernelResult result{prepared.implementation, {}};
  const Kernel kernel = prepared.make({});

  std::vector<const std::byte*> inputs;
  for (const Tensor& input : c.inputs)
    inputs.push_back(input.defined() ? input.bytes().data() : nullptr);
  // Scratch and outputs start as NaN and end in a fence.
  std::vector<Tensor> rooms;
  const auto room = [&](std::int64_t bytes) {
    rooms.push_back(
        Tensor::uninitialised({ElementType::U8, {bytes + static_cast<std::int64_t>(kFence)}}));
    std::memset(rooms.back().mutable_bytes().data(), 0xff, rooms.back().bytes().size());
    return rooms.back().mutable_bytes().data();
  };
  std::vector<std::byte*> outputs;
  for (const TensorType& type : call.outputs) outputs.push_back(room(byte_size(type)));
  std::byte* scratch = room(prepared.scratch_bytes);
  kernel({inputs, outputs, scratch});
  for (const Tensor& r : rooms)
    for (const std::byte b : r.bytes().last(kFence))
      if (b != std::byte{0xff}) ADD_FAILURE() << c.op << " wrote past the end of its memory";
  for (std::size_t i = 0; i < outputs.size(); ++i)
    result.outputs.push_back(Tensor::copy_of(
        call.outputs[i], {outputs[i], static_cast<std::size_t>(byte_size(call.outputs[i]))}));
  return result;
}

/// Empty if the kernel gives what `evaluate` gives.
inline std::string compare_with_evaluate(const Case& c, double tolerance,
                                         std::string* implementation = nullptr) {
  const std::vector<Tensor> expected = evaluate(c.op, c.attributes, c.inputs, c.outputs);
  const KernelResult got = run_kernel(c);
  if (implementation != nullptr) *implementation = got.implementation;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (std::string text = difference(got.outputs[i], expected[i], tolerance); !text.empty())
      return got.implementation + ": output " + std::to_string(i) + ": " + text;
  return "";
}

/// lower → sequential → verify → compile
inline std::unique_ptr<Program> compile_on_cpu(const Graph& graph) {
  const auto device = make_device({});
  const Graph lowered = device->lower(graph, device->modelled_costs());
  const Plan plan = sequential(lowered, device->modelled_costs(), device->spec(), {});
  return device->compile(lowered, plan);
}

}  // namespace braid::cpu
