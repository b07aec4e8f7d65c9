#pragma once

#include <algorithm>
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

/// Whether all bits are equal but those of NaNs: which of two NaNs a processor keeps depends on the
/// order in which the compiler names them.
inline bool same_numbers(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type() || a.element() != ElementType::F32) return identical(a, b);
  const auto same = [](float x, float y) {
    return (std::isnan(x) && std::isnan(y)) || std::memcmp(&x, &y, sizeof x) == 0;
  };
  return std::ranges::equal(a.data<float>(), b.data<float>(), same);
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

/// The rows of a value whose rows lie apart, one behind the other; fails if anything lies between
/// them that is not as it was.
inline Tensor gather_rows(const TensorType& type, const std::byte* from, std::int64_t row,
                          std::int64_t pitch) {
  Tensor result = Tensor::uninitialised(type);
  const std::int64_t size = byte_size(type) / element_count(type);
  std::byte* to = result.mutable_bytes().data();
  for (std::int64_t i = 0; i < element_count(type) / row; ++i, from += pitch * size) {
    to = std::copy_n(from, row * size, to);
    for (std::int64_t b = row * size; b < pitch * size; ++b)
      if (from[b] != std::byte{0xff}) ADD_FAILURE() << "wrote between rows, behind row " << i;
  }
  return result;
}

/// Runs the operator whole, and in as many parts as can be for every cut that its kernel offers,
/// which must not change a bit; nor must an output whose rows lie apart, if the kernel takes it.
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
  const TensorType& first = call.outputs[0];
  const std::int64_t row =
      first.dims.empty()
          ? 1
          : first.dims[whole_order(order_at(prepared.output_orders, 0), first.dims.size()).back()];
  const auto run = [&](const Cut& cut, int parts, std::int64_t gap = 0) {
    rooms.clear();
    std::vector<std::byte*> outputs;
    for (const TensorType& type : call.outputs) outputs.push_back(room(byte_size(type)));
    const std::int64_t pitch = gap == 0 ? 0 : row + gap;
    if (gap > 0) outputs[0] = room(byte_size(first) / row * pitch);
    std::byte* scratch = room(prepared.scratch_bytes);
    for (int part = 0; part < parts; ++part)
      prepared.make({cut, part, parts})({inputs, outputs, scratch, pitch});
    for (const Tensor& r : rooms)
      for (const std::byte b : r.bytes().last(kFence))
        if (b != std::byte{0xff}) ADD_FAILURE() << c.op << " wrote past the end of its memory";
    std::vector<Tensor> results;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const TensorType& type = call.outputs[i];
      const Tensor written =
          i == 0 && gap > 0
              ? gather_rows(type, outputs[0], row, pitch)
              : Tensor::copy_of(type, {outputs[i], static_cast<std::size_t>(byte_size(type))});
      results.push_back(out_of_order(written, order_at(prepared.output_orders, i)));
    }
    return results;
  };
  result.outputs = run({}, 1);
  const bool has_rows = prepared.takes_pitch && element_count(first) > row;
  if (has_rows && !identical(run({}, 1, 3)[0], result.outputs[0]))
    ADD_FAILURE() << c.op << " by " << prepared.implementation
                  << " gives other bits with rows apart";
  for (const Cut& cut : prepared.cuts)
    for (const int parts : {2, 3}) {
      if (parts > most_parts(call.outputs[0], cut)) continue;
      std::vector<Tensor> cut_outputs;
      try {
        cut_outputs = run(cut, parts, has_rows && parts == 2 ? 5 : 0);
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
