#include <cmath>

#include <fmt/format.h>

#include "zoo/layers.h"
#include "zoo/networks.h"

// The simple recurrent unit as MetaFlow's RNNTC-SRU benchmark has it: forget and reset gates weigh
// both terms, and every time step has weights of its own. The last input is the first state.

namespace braid::zoo {

void rnntc_sru(Layers& net) {
  Builder& builder = net.builder();
  ValueId state = net.input(kSruSteps);
  for (int t = 0; t < kSruSteps; ++t) {
    const ValueId x = net.input(static_cast<std::size_t>(t));
    const std::int64_t width = net.dims(x)[1];
    const auto named = [&](const char* what) { return fmt::format("step_{}/{}", t, what); };
    const auto product = [&](const char* what) {
      const std::string weight = named(what) + "/weight";
      const double deviation = std::sqrt(1.0 / static_cast<double>(width));
      const ValueId w =
          builder.constant(weight, net.weights().normal(weight, {width, width}, deviation));
      return builder.add("MatMul", {x, w}, {}, named(what));
    };
    const auto multiply = [&](const char* what, ValueId a, ValueId b) {
      return builder.add("Mul", {a, b}, {}, named(what));
    };
    const ValueId x1 = product("candidate");
    const ValueId forget = builder.add("Sigmoid", {product("forget/product")}, {}, named("forget"));
    const ValueId reset = builder.add("Sigmoid", {product("reset/product")}, {}, named("reset"));
    state = builder.add("Add", {multiply("kept", forget, state), multiply("taken", forget, x1)}, {},
                        named("state"));
    const ValueId hidden =
        builder.add("Add", {multiply("shown", reset, state), multiply("passed", reset, x)}, {},
                    named("hidden"));
    net.graph().add_output(hidden, fmt::format("h_{}", t));
  }
  net.graph().add_output(state, "last_state");
}

}  // namespace braid::zoo
