#include <array>

#include "device/cpu/kernels/part.h"
#include "device/cpu/machine/isa.h"
#include "ops/kernels_cpu.h"
#include "ops/shared/broadcast.h"

namespace braid::cpu {
namespace {

/// to[i] = chosen[i] ? a[i] : b[i], where each operand runs or stands still.
[[gnu::always_inline]] inline void choose_row(const bool* chosen, std::int64_t chosen_step,
                                              const float* a, std::int64_t a_step, const float* b,
                                              std::int64_t b_step, float* __restrict to,
                                              std::int64_t count) {
  if (chosen_step == 1 && a_step == 1 && b_step == 0) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = chosen[i] ? a[i] : *b;
  } else if (chosen_step == 1 && a_step == 0 && b_step == 1) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = chosen[i] ? *a : b[i];
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = chosen[i * chosen_step] ? a[i * a_step] : b[i * b_step];
  }
}

struct Rows {
  Dims dims;
  std::vector<Dims> strides;
  std::array<std::int64_t, 3> first = {};
  std::int64_t first_output = 0;
};

Rows rows_of(Rows all, const TensorType& output, const Part& part) {
  if (part.count > 1) {
    const CutRange range = cut_range(output, part.cut, part.index, part.count);
    const auto axis = static_cast<std::size_t>(part.cut.axis);
    for (std::size_t i = 0; i < 3; ++i) all.first[i] = range.begin * all.strides[i][axis];
    all.dims[axis] = range.end - range.begin;
    all.first_output = outermost_range(output, part).begin;
  }
  join_axes(all.dims, all.strides);
  return all;
}

void run(const Rows& rows, const KernelArgs& args) {
  const bool* chosen = args.in<bool>(0) + rows.first[0];
  const float* a = args.in<float>(1) + rows.first[1];
  const float* b = args.in<float>(2) + rows.first[2];
  float* to = args.out<float>(0) + rows.first_output;
  each_row(rows.dims, rows.strides,
           [&](const std::int64_t* offsets, const std::int64_t* steps, std::int64_t count) {
             on_best_isa([&]() __attribute__((always_inline)) {
               choose_row(chosen + offsets[0], steps[0], a + offsets[1], steps[1], b + offsets[2],
                          steps[2], to, count);
             });
             to += count;
           });
}

}  // namespace

std::optional<Way> prepare_where(const OpCall& call) {
  if (call.outputs[0].element != ElementType::F32) return std::nullopt;
  const TensorType output = call.outputs[0];
  Rows all{output.dims, {}};
  for (std::size_t i = 0; i < 3; ++i)
    all.strides.push_back(broadcast_strides(call.dims(i), output.dims));
  Way way;
  way.implementation = "where";
  way.cuts = cuts_in(output, {});
  way.make = [all, output](const Part& part) -> Kernel {
    return [rows = rows_of(all, output, part)](const KernelArgs& args) { run(rows, args); };
  };
  return way;
}

}  // namespace braid::cpu
