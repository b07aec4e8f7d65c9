#include <algorithm>
#include <limits>
#include <memory>

#include "device/cpu/isa.h"
#include "ops/kernels_cpu.h"
#include "ops/plane_cpu.h"
#include "ops/pool.h"

namespace braid::cpu {
namespace {

/// For each output along an axis, the taps that count in an average.
std::vector<float> counts_along(const PoolGeometry& pool, std::size_t axis) {
  const Window& w = pool.window;
  const std::int64_t begin = pool.count_include_pad ? -w.pads_begin[axis] : 0;
  const std::int64_t end = w.input[axis] + (pool.count_include_pad ? w.pads_end[axis] : 0);
  std::vector<float> counts;
  for (std::int64_t o = 0; o < w.output[axis]; ++o) {
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < w.kernel[axis]; ++k) {
      const std::int64_t at = o * w.strides[axis] - w.pads_begin[axis] + k * w.dilations[axis];
      count += at >= begin && at < end ? 1 : 0;
    }
    // A window that sees padding only averages to zero.
    counts.push_back(static_cast<float>(std::max<std::int64_t>(count, 1)));
  }
  return counts;
}

/// For each output of a channel.
std::vector<float> counts_of(const PoolGeometry& pool) {
  std::vector<float> counts = {1};
  for (std::size_t axis = 0; axis < pool.window.axes(); ++axis) {
    std::vector<float> product;
    for (const float outer : counts)
      for (const float inner : counts_along(pool, axis)) product.push_back(outer * inner);
    counts = std::move(product);
  }
  return counts;
}

class Pool {
 public:
  Pool(const OpCall& call, bool average) : pool_(pool_geometry(call)), plane_(pool_.window) {
    if (!average) return;
    counts_ = counts_of(pool_);
    ones_.assign(static_cast<std::size_t>(plane_.taps()), 1);
  }

  std::int64_t scratch_bytes() const {
    return (plane_.plane_floats() + plane_.result_floats()) *
           static_cast<std::int64_t>(sizeof(float));
  }

  void run(const KernelArgs& args) const {
    auto* plane = reinterpret_cast<float*>(args.scratch);
    float* results = plane + plane_.plane_floats();
    const std::int64_t in_size = element_count(pool_.window.input);
    const float* in = args.in<float>(0);
    float* out = args.out<float>(0);
    for (std::int64_t c = 0; c < pool_.batch * pool_.channels; ++c) {
      if (counts_.empty())
        write_largest(in, plane, results, out);
      else
        write_average(in, plane, results, out);
      in += in_size;
      out += plane_.outputs();
    }
  }

 private:
  void write_largest(const float* in, float* plane, float* results, float* out) const {
    plane_.fill(in, -std::numeric_limits<float>::infinity(), plane);
    plane_.largest(plane, results);
    plane_.each_row(results, out,
                    [](const float* from, float* to, std::int64_t, std::int64_t count) {
                      std::copy(from, from + count, to);
                    });
  }

  void write_average(const float* in, float* plane, float* results, float* out) const {
    plane_.fill(in, 0, plane);
    plane_.weigh(plane, ones_.data(), 0, results);
    on_best_isa([&]() __attribute__((always_inline)) {
      plane_.each_row(results, out,
                      [&](const float* from, float* to, std::int64_t first, std::int64_t count)
                          __attribute__((always_inline)) {
                            const float* divisors = counts_.data() + first;
                            for (std::int64_t i = 0; i < count; ++i) to[i] = from[i] / divisors[i];
                          });
    });
  }

  PoolGeometry pool_;
  Plane plane_;
  std::vector<float> counts_;  // empty: the largest is wanted
  std::vector<float> ones_;
};

std::optional<Prepared> prepare_pool(const OpCall& call, bool average) {
  if (call.input(0).element != ElementType::F32 || call.outputs.size() > 1) return std::nullopt;
  if (call.rank(0) > 4) return std::nullopt;
  const auto kernel = std::make_shared<const Pool>(call, average);
  Prepared prepared;
  prepared.implementation = "pool";
  prepared.scratch_bytes = kernel->scratch_bytes();
  prepared.make = [kernel](const Part&) -> Kernel {
    return [kernel](const KernelArgs& args) { kernel->run(args); };
  };
  return prepared;
}

}  // namespace

std::optional<Prepared> prepare_max_pool(const OpCall& call) { return prepare_pool(call, false); }
std::optional<Prepared> prepare_average_pool(const OpCall& call) {
  return prepare_pool(call, true);
}

}  // namespace braid::cpu
