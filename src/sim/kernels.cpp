#include "sim/kernels.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "ops/call.h"
#include "ops/catalog.h"
#include "ops/matmul.h"
#include "ops/shared/elements.h"
#include "sim/traffic.h"

namespace braid::sim {
namespace {

constexpr double kRoomShare = 0.1;
/// A slower way must keep the device busy for at most this part of the least time so far.
constexpr double kWorthTrying = 0.99;
/// Bytes of scratch that any way may need.
constexpr std::int64_t kLittleScratch = 256 << 10;

/// What a rule may look at.
struct Question {
  const GpuSpec& gpu;
  const KernelOptions& options;
  const OpCall& call;
  Traffic traffic;
  Work work;

  double outputs() const {
    return call.outputs.empty() ? 0 : static_cast<double>(element_count(call.outputs[0]));
  }
};

Ways one(Kernel kernel) { return {std::vector<Kernel>{std::move(kernel)}}; }

double last_dim(const OpCall& call) {
  const Dims& dims = call.dims(0);
  return dims.empty() ? 1 : static_cast<double>(std::max<std::int64_t>(1, dims.back()));
}

Ways elementwise(const Question& ask) {
  return one(memory_kernel(ask.gpu, ask.options, "elementwise", ask.outputs(), 4, ask.traffic));
}

Ways movement(const Question& ask) {
  return one(memory_kernel(ask.gpu, ask.options, "movement", ask.outputs(), 4, ask.traffic));
}

Ways pool(const Question& ask) {
  return one(memory_kernel(ask.gpu, ask.options, "pool", ask.outputs(), 1, ask.traffic));
}

/// One warp makes an output.
Ways reduce(const Question& ask) {
  return one(memory_kernel(ask.gpu, ask.options, "reduce", ask.outputs() * 32, 1, ask.traffic));
}

/// One warp makes a short row, a block a long one.
Ways softmax(const Question& ask) {
  const double row = last_dim(ask.call);
  const double threads_per_row = row <= 1024 ? 32 : 128;
  return one(memory_kernel(ask.gpu, ask.options, "softmax", ask.outputs() / row * threads_per_row,
                           1, ask.traffic));
}

Ways layer_norm(const Question& ask) {
  const double rows = ask.outputs() / last_dim(ask.call);
  return one(memory_kernel(ask.gpu, ask.options, "layer_norm", rows * 128, 1, ask.traffic));
}

Ways conv(const Question& ask) { return conv_ways(ask.gpu, ask.options, ask.call, ask.traffic); }

Ways matmul(const Question& ask) {
  const MatMulGeometry g = matmul_geometry(ask.call);
  const bool one_matrix = std::all_of(g.b_strides.begin(), g.b_strides.end(),
                                      [](std::int64_t stride) { return stride == 0; });
  const double batch = product_of(g.batch);
  const auto rows = static_cast<double>(g.rows);
  // A batch that shares its right side is one tall product.
  return product_ways(ask.gpu, ask.options,
                      {one_matrix ? 1 : batch, one_matrix ? batch * rows : rows,
                       static_cast<double>(g.columns), static_cast<double>(g.depth)},
                      ask.traffic);
}

Ways gemm(const Question& ask) {
  const GemmGeometry g = gemm_geometry(ask.call);
  return product_ways(ask.gpu, ask.options,
                      {1, static_cast<double>(g.rows), static_cast<double>(g.columns),
                       static_cast<double>(g.depth)},
                      ask.traffic);
}

/// Arithmetic that no rule knows, in blocks of 1024 outputs.
Ways generic(const Question& ask) {
  const double blocks = std::clamp(std::ceil(ask.outputs() / 1024), 1.0, 2147483647.0);
  Kernel kernel =
      make_kernel(ask.gpu, "conv_generic", Pipe::Fp32, static_cast<std::int64_t>(blocks));
  kernel.flops = ask.work.flops / blocks;
  set_bytes(ask.gpu, ask.options, ask.traffic, kernel);
  return one(std::move(kernel));
}

using Rule = Ways (*)(const Question&);

struct Row {
  std::string_view op;
  Rule rule;
};
constexpr auto kRows = std::to_array<Row>({
    {"Conv", conv},
    {"MatMul", matmul},
    {"Gemm", gemm},
});

Rule rule_for(OpKind kind) {
  switch (kind) {
    case OpKind::Elementwise:
      return elementwise;
    case OpKind::Movement:
      return movement;
    case OpKind::Window:
      return pool;
    case OpKind::Reduction:
      return reduce;
    case OpKind::Softmax:
      return softmax;
    case OpKind::RowNorm:
      return layer_norm;
  }
  raise(ErrorKind::Internal, "kind out of range");
}

Rule rule_for(const Question& ask) {
  for (const Row& row : kRows)
    if (row.op == ask.call.op) return row.rule;
  return ask.work.macs > 0 ? generic : rule_for(op_def(ask.call.op).kind);
}

Ways all_ways(const GpuSpec& gpu, const Graph& graph, NodeId id, const KernelOptions& options) {
  const Node& node = graph.node(id);
  if (launches_nothing(node)) return {{}};
  const OpCall call = call_of(graph, node);
  const Question ask{gpu, options, call, traffic_of(graph, id), work(graph, id)};
  return rule_for(ask)(ask);
}

/// What the kernels take of a device that has enough to do beside them: for each, the time of what
/// it uses most. Their claim on room counts a little.
double packed_us(const GpuSpec& gpu, const std::vector<Kernel>& kernels) {
  double sum = 0;
  for (const Kernel& kernel : kernels) {
    const auto blocks = static_cast<double>(kernel.blocks);
    const double peak = gpu.sms * sm_flops_per_us(gpu, kernel.pipe) * kernel.efficiency;
    const double room = static_cast<double>(gpu.sms) * occupancy(gpu, kernel);
    const double claim = solo_us(gpu, kernel) * std::min(1.0, blocks / room);
    sum +=
        std::max({blocks * kernel.flops / peak, blocks * kernel.dram_bytes / gpu.dram_bytes_per_us,
                  blocks * kernel.l2_bytes / gpu.l2_bytes_per_us}) +
        kRoomShare * claim;
  }
  return sum;
}

}  // namespace

bool is_chosen(const Node& node) {
  return std::ranges::any_of(kRows, [&](const Row& row) { return row.op == node.op; });
}

bool launches_nothing(const Node& node) {
  return is_view(node) || (keeps_elements(node) && node.lowering.implementation.empty());
}

std::int64_t scratch_bytes(const std::vector<Kernel>& kernels) {
  std::int64_t bytes = 0;
  for (const Kernel& kernel : kernels) bytes += kernel.scratch_bytes;
  return bytes;
}

std::vector<Kernel> kernels_of(const GpuSpec& gpu, const Graph& graph, NodeId id,
                               const KernelOptions& options) {
  return std::move(all_ways(gpu, graph, id, options).front());
}

Ways ways_of(const GpuSpec& gpu, const Graph& graph, NodeId id, const KernelOptions& options) {
  Ways all = all_ways(gpu, graph, id, options);
  if (all.size() == 1) return all;
  const std::int64_t scratch = std::max(scratch_bytes(all.front()), kLittleScratch);
  // A way that the library does not take though it seems faster is not believed to be.
  const double chosen_us = solo_us(gpu, all.front());
  std::vector<std::pair<double, std::size_t>> by_time;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double way_us = solo_us(gpu, all[i]);
    if (way_us >= chosen_us && scratch_bytes(all[i]) <= scratch) by_time.emplace_back(way_us, i);
  }
  std::sort(by_time.begin(), by_time.end());
  double least_us = packed_us(gpu, all.front());
  Ways kept = {all.front()};
  for (const auto& [time_us, i] : by_time) {
    const double packed = packed_us(gpu, all[i]);
    if (packed > least_us * kWorthTrying) continue;
    least_us = packed;
    kept.push_back(std::move(all[i]));
  }
  return kept;
}

double solo_us(const GpuSpec& gpu, const std::vector<Kernel>& kernels) {
  double total = 0;
  for (const Kernel& kernel : kernels) total += solo_us(gpu, kernel) + gpu.costs.edge_us;
  return total;
}

}  // namespace braid::sim
