#include <memory>

#include "device/cpu/isa.h"
#include "ops/conv.h"
#include "ops/epilogue.h"
#include "ops/kernels_cpu.h"
#include "ops/plane_cpu.h"

namespace braid::cpu {
namespace {

class Depthwise {
 public:
  explicit Depthwise(const OpCall& call)
      : conv_(conv_geometry(call)), epilogue_(read_epilogue(call)), plane_(conv_.window) {}

  std::int64_t scratch_bytes() const {
    return (plane_.plane_floats() + plane_.result_floats()) *
           static_cast<std::int64_t>(sizeof(float));
  }

  void run(const KernelArgs& args) const {
    auto* plane = reinterpret_cast<float*>(args.scratch);
    float* sums = plane + plane_.plane_floats();
    const std::int64_t in_size = element_count(conv_.window.input);
    const std::int64_t multiplier = conv_.out_channels_of_group();
    const float* in = args.in<float>(0);
    std::int64_t out_channel = 0;
    for (std::int64_t n = 0; n < conv_.batch; ++n)
      for (std::int64_t c = 0; c < conv_.in_channels; ++c, in += in_size) {
        plane_.fill(in, 0, plane);
        for (std::int64_t m = 0; m < multiplier; ++m, ++out_channel)
          run_channel(args, plane, c * multiplier + m, out_channel, sums);
      }
  }

 private:
  void run_channel(const KernelArgs& args, const float* plane, std::int64_t channel,
                   std::int64_t out_channel, float* sums) const {
    const float bias = epilogue_.bias ? args.in<float>(2)[channel] : 0;
    plane_.weigh(plane, args.in<float>(1) + channel * plane_.taps(), bias, sums);
    const std::int64_t base = out_channel * plane_.outputs();
    const float* residual =
        epilogue_.residual ? args.in<float>(Epilogue::kResidualInput) + base : nullptr;
    if (residual != nullptr)
      write(sums, args.out<float>(0) + base,
            [=](float x, std::int64_t at)
                __attribute__((always_inline)) { return x + residual[at]; });
    else
      write(sums, args.out<float>(0) + base,
            [](float x, std::int64_t) __attribute__((always_inline)) { return x; });
  }

  /// Copies the sums to the output through the epilogue.
  template <class Before>
  void write(const float* sums, float* to, const Before& before) const {
    const auto rows = [&](const auto& activate) {
      on_best_isa([&]() __attribute__((always_inline)) {
        plane_.each_row(sums, to,
                        [&](const float* from, float* row, std::int64_t first, std::int64_t count)
                            __attribute__((always_inline)) {
                              for (std::int64_t i = 0; i < count; ++i)
                                row[i] = activate(before(from[i], first + i));
                            });
      });
    };
    if (epilogue_.activation == Activation::None)
      rows([](float x) __attribute__((always_inline)) { return x; });
    else if (epilogue_.activation == Activation::Relu)
      rows([](float x) __attribute__((always_inline)) { return x < 0 ? 0 : x; });
    else
      rows([&](float x) __attribute__((always_inline)) { return epilogue_.activate(x); });
  }

  ConvGeometry conv_;
  Epilogue epilogue_;
  Plane plane_;
};

}  // namespace

std::optional<Prepared> prepare_depthwise(const OpCall& call) {
  if (call.input(0).element != ElementType::F32) return std::nullopt;
  const ConvGeometry conv = conv_geometry(call);
  if (conv.in_channels_of_group() != 1 || conv.groups == 1 || conv.window.axes() > 2)
    return std::nullopt;
  const auto kernel = std::make_shared<const Depthwise>(call);
  Prepared prepared;
  prepared.implementation = "depthwise";
  prepared.scratch_bytes = kernel->scratch_bytes();
  prepared.make = [kernel](const Part&) -> Kernel {
    return [kernel](const KernelArgs& args) { kernel->run(args); };
  };
  return prepared;
}

}  // namespace braid::cpu
