#pragma once

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "device/cpu/cpu_device.h"
#include "device/cpu/kernels.h"
#include "device/cpu/lane_settings.h"
#include "ops/call.h"
#include "ops/catalog.h"
#include "ops/strided.h"
#include "plan/plan.h"
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

/// The bytes of a row-major tensor in another order, and the other way round.
inline Tensor reordered(const Tensor& tensor, const Dims& dims, const Dims& strides) {
  Tensor result = Tensor::uninitialised(tensor.type());
  const std::int64_t count = element_count(tensor.type());
  if (count > 0)
    copy_strided(tensor.bytes(), 0, dims, strides, result.mutable_bytes(),
                 byte_size(tensor.type()) / count);
  return result;
}
inline Tensor into_order(const Tensor& tensor, const AxisOrder& order) {
  return reordered(tensor, permuted(tensor.dims(), order),
                   permuted(strides_in(tensor.dims(), {}), order));
}
inline Tensor out_of_order(const Tensor& tensor, const AxisOrder& order) {
  return reordered(tensor, tensor.dims(), strides_in(tensor.dims(), order));
}

inline AxisOrder order_at(const std::vector<AxisOrder>& orders, std::size_t i) {
  return i < orders.size() ? orders[i] : AxisOrder{};
}

/// Runs the operator whole, and in as many parts as can be for every cut that its kernel offers,
/// which must not change a bit.
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
  const Prepared prepared =
      prepare(KernelCall{call, std::vector<AxisOrder>(call.inputs.size()), {}});
  KernelResult result{prepared.implementation, {}};

  std::vector<Tensor> laid_out = c.inputs;
  std::vector<const std::byte*> inputs;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    if (c.inputs[i].defined())
      laid_out[i] = into_order(c.inputs[i], order_at(prepared.input_orders, i));
    inputs.push_back(c.inputs[i].defined() ? laid_out[i].bytes().data() : nullptr);
  }
  // Scratch and outputs start as NaN and end in a fence.
  std::vector<Tensor> rooms;
  const auto room = [&](std::int64_t bytes) {
    rooms.push_back(
        Tensor::uninitialised({ElementType::U8, {bytes + static_cast<std::int64_t>(kFence)}}));
    std::memset(rooms.back().mutable_bytes().data(), 0xff, rooms.back().bytes().size());
    return rooms.back().mutable_bytes().data();
  };
  const auto run = [&](const Cut& cut, int parts) {
    rooms.clear();
    std::vector<std::byte*> outputs;
    for (const TensorType& type : call.outputs) outputs.push_back(room(byte_size(type)));
    std::byte* scratch = room(prepared.scratch_bytes);
    for (int part = 0; part < parts; ++part)
      prepared.make({cut, part, parts})({inputs, outputs, scratch});
    for (const Tensor& r : rooms)
      for (const std::byte b : r.bytes().last(kFence))
        if (b != std::byte{0xff}) ADD_FAILURE() << c.op << " wrote past the end of its memory";
    std::vector<Tensor> results;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      results.push_back(out_of_order(
          Tensor::copy_of(call.outputs[i],
                          {outputs[i], static_cast<std::size_t>(byte_size(call.outputs[i]))}),
          order_at(prepared.output_orders, i)));
    return results;
  };
  result.outputs = run({}, 1);
  for (const Cut& cut : prepared.cuts)
    for (const int parts : {2, 3}) {
      if (parts > most_parts(call.outputs[0], cut)) continue;
      std::vector<Tensor> cut_outputs;
      try {
        cut_outputs = run(cut, parts);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Device);  // not in so many parts
        EXPECT_GT(parts, 2);
      }
      for (std::size_t i = 0; i < cut_outputs.size(); ++i)
        EXPECT_TRUE(identical(cut_outputs[i], result.outputs[i]))
            << c.op << " by " << prepared.implementation << " in " << parts << " parts along axis "
            << cut.axis << "/" << cut.grain << " gives other bits ("
            << difference(cut_outputs[i], result.outputs[i], 0)
            << "): " << to_string(c.inputs[0].type()) << " to " << to_string(call.outputs[0]);
    }
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
