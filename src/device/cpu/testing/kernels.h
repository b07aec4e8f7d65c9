#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "device/cpu/cpu_device.h"
#include "device/cpu/kernels/ways.h"
#include "device/cpu/lanes/lane_settings.h"
#include "ops/call.h"
#include "ops/catalog.h"
#include "ops/shared/strided.h"
#include "ops/testing/case.h"
#include "plan/plan.h"
#include "schedule/schedulers.h"
#include "tensor/difference.h"
#include "tensor/testing/random_tensor.h"

/// For tests of kernels: run one operator both ways, or a graph through every stage.

namespace braid::cpu {

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

/// The operators of one input that can be steps of a Chain.
inline std::vector<std::string> unary_steps() {
  std::vector<std::string> names;
  for (const OpDef& def : catalog())
    if (!def.steps.empty() && def.max_inputs == 1) names.emplace_back(def.name);
  return names;
}

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

/// A Case as kernels see it.
class CaseRunner {
 public:
  explicit CaseRunner(const Case& c) : case_(c) {
    OpCall& op = call_.op;
    op.op = c.op;
    op.attributes = &c.attributes;
    op.output_count = c.outputs;
    OpCall all_known = op;
    for (std::size_t i = 0; i < c.inputs.size(); ++i) {
      const Tensor* input = c.inputs[i].defined() ? &c.inputs[i] : nullptr;
      op.inputs.push_back(input != nullptr ? &input->type() : nullptr);
      op.known.push_back(i < c.constant.size() && c.constant[i] ? input : nullptr);
      all_known.known.push_back(input);
    }
    all_known.inputs = op.inputs;
    op.outputs = infer(op_def(c.op), all_known);
    call_.inputs.resize(op.inputs.size());
  }

  const KernelCall& call() const { return call_; }
  const TensorType& output() const { return call_.op.outputs[0]; }

  /// The outputs of the operator in that many parts, all on this thread. With a `gap`, rows of the
  /// first output lie that many elements apart.
  std::vector<Tensor> run(const Way& way, const Cut& cut, int parts, std::int64_t gap = 0) {
    const LaneSettings settings;
    std::vector<Tensor> laid_out = case_.inputs;
    std::vector<const std::byte*> inputs;
    for (std::size_t i = 0; i < laid_out.size(); ++i) {
      if (laid_out[i].defined() && !order_at(way.input_orders, i).empty())
        laid_out[i] = into_order(laid_out[i], order_at(way.input_orders, i));
      inputs.push_back(laid_out[i].defined() ? laid_out[i].bytes().data() : nullptr);
    }
    rooms_.clear();
    std::vector<std::byte*> outputs;
    for (const TensorType& type : call_.op.outputs) outputs.push_back(room(byte_size(type)));
    const std::int64_t row = row_of(way);
    const std::int64_t pitch = gap == 0 ? 0 : row + gap;
    if (gap > 0) outputs[0] = room(byte_size(output()) / row * pitch);
    std::byte* scratch = room(way.scratch_bytes);
    for (int part = 0; part < parts; ++part)
      way.make({cut, part, parts})({inputs, outputs, scratch, pitch});
    check_fences();
    std::vector<Tensor> results;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const TensorType& type = call_.op.outputs[i];
      const Tensor written =
          i == 0 && gap > 0
              ? gather_rows(type, outputs[0], row, pitch)
              : Tensor::copy_of(type, {outputs[i], static_cast<std::size_t>(byte_size(type))});
      results.push_back(out_of_order(written, order_at(way.output_orders, i)));
    }
    return results;
  }

  /// The outputs of the whole. In as many parts as can be for every cut that is offered, and with
  /// rows apart if the kernel takes that, no bit of them may change but those of NaN.
  std::vector<Tensor> run_in_every_cut(const Way& way) {
    const std::vector<Tensor> whole = run(way, {}, 1);
    const bool has_rows = way.takes_pitch && element_count(output()) > row_of(way);
    if (has_rows && !same_numbers(run(way, {}, 1, 3)[0], whole[0]))
      ADD_FAILURE() << case_.op << " by " << way.implementation
                    << " gives other bits with rows apart";
    for (const Cut& cut : way.cuts) {
      const auto most = static_cast<int>(std::min<std::int64_t>(most_parts(output(), cut), 64));
      for (const int parts : std::set{2, std::min(3, most), most}) {
        std::vector<Tensor> outputs;
        try {
          outputs = run(way, cut, parts, has_rows && parts == 2 ? 5 : 0);
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::Device);  // not in that many parts
          EXPECT_GT(parts, 2);
        }
        for (std::size_t i = 0; i < outputs.size(); ++i)
          EXPECT_TRUE(same_numbers(outputs[i], whole[i]))
              << case_.op << " by " << way.implementation << " in " << parts << " parts along axis "
              << cut.axis << "/" << cut.grain << " gives other bits ("
              << difference(outputs[i], whole[i], 0) << "): " << describe_types();
      }
    }
    return whole;
  }

  /// "f32[1,2,5], f32[9,2,2] to f32[1,9,4]"
  std::string describe_types() const {
    std::string text;
    for (const TensorType* type : call_.op.inputs)
      text += (text.empty() ? "" : ", ") + (type != nullptr ? to_string(*type) : "-");
    return text + " to " + to_string(output());
  }

 private:
  std::int64_t row_of(const Way& way) const {
    const Dims& dims = output().dims;
    return dims.empty() ? 1 : dims[whole_order(order_at(way.output_orders, 0), dims.size()).back()];
  }

  /// Scratch and outputs start as NaN and end in a fence.
  std::byte* room(std::int64_t bytes) {
    rooms_.push_back(
        Tensor::uninitialised({ElementType::U8, {bytes + static_cast<std::int64_t>(kFence)}}));
    std::memset(rooms_.back().mutable_bytes().data(), 0xff, rooms_.back().bytes().size());
    return rooms_.back().mutable_bytes().data();
  }

  void check_fences() const {
    for (const Tensor& room : rooms_)
      for (const std::byte b : room.bytes().last(kFence))
        if (b != std::byte{0xff}) ADD_FAILURE() << case_.op << " wrote past the end of its memory";
  }

  const Case& case_;
  KernelCall call_;
  std::vector<Tensor> rooms_;
};

/// Runs the operator in the way that is taken for it, whole and in every cut.
inline KernelResult run_kernel(const Case& c) {
  const LaneSettings settings;
  CaseRunner runner(c);
  const Way way = prepare(runner.call());
  return {way.implementation, runner.run_in_every_cut(way)};
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

/// Empty if the way for first inputs in this order is `implementation` and gives what `evaluate`
/// does, whole and in every cut.
inline std::string fault_in_order(const Case& c, const AxisOrder& order, double tolerance,
                                  std::string_view implementation) {
  const LaneSettings settings;
  CaseRunner runner(c);
  KernelCall call = runner.call();
  call.inputs[0] = order;
  const Way way = prepare(call);
  if (way.implementation != implementation) return "ran by " + way.implementation;
  const std::vector<Tensor> expected = evaluate(c.op, c.attributes, c.inputs, c.outputs);
  const std::vector<Tensor> got = runner.run_in_every_cut(way);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (std::string text = difference(got[i], expected[i], tolerance); !text.empty()) return text;
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
